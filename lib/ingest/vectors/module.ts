// The loops over bytes that are WebAssembly (assembly/), sixteen bytes at a time, and the memory that they work on.
import { code } from './code.ts';

/** What the library of types does not know of it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: { env: { memory: object } }) => { readonly exports: object };
};

type Loop = (...numbers: number[]) => number;
type LoopName =
  | `csv${'EmptyQuoted' | 'Ends' | 'Fields' | 'Longest' | 'QuotedFields' | 'QuotedNewline' | 'Records' | 'Rows' | 'Widest'}`
  | `csvShort${'' | 'At' | 'End' | 'Row'}`
  | `json${'Columns' | 'Form' | 'LineEnds' | 'Records' | 'Room' | 'Tables' | 'Taken'}`
  | 'lineEnds';

export interface Vectors {
  /** By addresses in the memory; what each does stands in assembly/. */
  readonly loops: Readonly<Record<LoopName, Loop>>;
  /** The memory. */
  readonly bytes: Buffer;
}

const PAGE_BYTES = 1 << 16;
/** What loops may read or write behind an end. */
export const SLACK_BYTES = 64;

let compiled: object | undefined;

/** The loops over a memory of their own, of zeros. */
export function openVectors(size: number): Vectors {
  compiled ??= new WebAssembly.Module(Buffer.from(code, 'base64'));
  const memory = new WebAssembly.Memory({ initial: Math.ceil((size + SLACK_BYTES) / PAGE_BYTES) });
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return { loops: exports as Vectors['loops'], bytes: Buffer.from(memory.buffer) };
}

/** Bytes that loops of one call look at: a share of the processor's cache. */
export const PIECE_BYTES = 1 << 18;

let ofCalls: Vectors | undefined;

/** The loops over a memory of one piece, which is anybody's for the length of a call. */
export function sharedVectors(): Vectors {
  ofCalls ??= openVectors(PIECE_BYTES);
  return ofCalls;
}
