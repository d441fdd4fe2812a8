// The text of a large file where it lies in the object store: one object, or pieces of one text. A stretch of it at a time is on disk.
import { createWriteStream } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';

export const plainSchema = z.lazy(() =>
  z.strictObject({
    /** One behind the other. */
    pieces: z.array(z.strictObject({ key: z.string(), bytes: z.int() })),
    /** Bytes to pass over: a byte order mark. */
    start: z.int(),
    size: z.int(),
  }),
);
export type Plain = z.infer<typeof plainSchema>;

export interface Stretch {
  /** Offsets of the first byte and of the one behind the last. */
  readonly start: number;
  readonly end: number;
}

/** The bytes of a stretch. Throws the Fault INPUT_UNREADABLE where an object is gone. */
export async function* bytesOf(objects: Objects, { pieces }: Plain, { start, end }: Stretch): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const { key, bytes } of pieces) {
    const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, bytes)];
    offset += bytes;
    if (from >= to) continue;
    const stream = await objects.read(key, from, to);
    if (stream === undefined) throw new Fault('INPUT_UNREADABLE', `The object ${key} is gone.`);
    yield* stream as AsyncIterable<Buffer>;
  }
}

export interface Fetching {
  readonly objects: Objects;
  readonly plain: Plain;
  readonly signal: AbortSignal;
}

/** Writes a stretch to a local file. Faults: INPUT_UNREADABLE. */
export async function fetchStretch({ objects, plain, signal }: Fetching, stretch: Stretch, path: string) {
  await pipeline(bytesOf(objects, plain, stretch), createWriteStream(path), { signal });
}

/** Where, in the folder of a step, one stage leaves stretches for the next. */
export const leftIn = (folder: string): string => join(folder, 'survey');
/** What a stretch is called there. */
export const stretchName = ({ start, end }: Stretch): string => `stretch-${start}-${end}`;

/** A stretch as the local file `path`: taken from the folder where an earlier stage left it, else fetched. Faults: INPUT_UNREADABLE. */
export async function localChunk(
  fetching: Fetching,
  { start, end }: Stretch,
  { left, path }: { readonly left?: string | undefined; readonly path: string },
): Promise<void> {
  const there =
    left !== undefined &&
    (await rename(join(left, stretchName({ start, end })), path).then(
      () => true,
      () => false,
    ));
  if (!there) await fetchStretch(fetching, { start, end }, path);
}

const LOOK_BYTES = 1 << 20;
const LF = 10;
const CR = 13;

/** Calls `look` with the bytes of a local file up to `end`, in order; what it is given is valid during the call only. */
export async function eachPiece(path: string, end: number, look: (bytes: Buffer) => void): Promise<void> {
  await using file = await open(path);
  const buffer = Buffer.allocUnsafe(Math.min(LOOK_BYTES, end));
  for (let at = 0; at < end; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at);
    if (bytesRead === 0) throw new Fault('INPUT_UNREADABLE', 'The file is shorter than it was.');
    look(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** The line ends among bytes behind the byte `before`: LF, CR, and CRLF as one. */
function lineEnds(bytes: Buffer, before: number): number {
  let ends = 0;
  if (!bytes.includes(CR)) {
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) ends++;
    return before === CR && bytes[0] === LF ? ends - 1 : ends;
  }
  let previous = before;
  for (const byte of bytes) {
    if (byte === CR || (byte === LF && previous !== CR)) ends++;
    previous = byte;
  }
  return ends;
}

/** Counts the line ends of stretches that follow each other. */
export function lineCounter() {
  let lines = 0;
  let before = 0;
  return {
    add: (bytes: Buffer): void => {
      lines += lineEnds(bytes, before);
      before = bytes.at(-1) ?? before;
    },
    lines: (): number => lines,
  };
}
