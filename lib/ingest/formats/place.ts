// Places for people: the line of a byte. Found by reading again, since only a refusal needs it.
import { createReadStream } from 'node:fs';
import { Fault } from '../../core/fault.ts';
import { lineEnds } from '../vectors/line-ends.ts';
import { type Bytes, fileBytes } from './bytes.ts';

/** The 1-based line that holds the byte at `offset`. */
export const lineAt = (path: string, offset: number): Promise<number> => lineIn(fileBytes(path), offset);

/** The same of bytes wherever they lie. */
export async function lineIn(bytes: Bytes, offset: number): Promise<number> {
  let line = 1;
  let before = 0;
  for await (const chunk of bytes(0, offset)) {
    line += lineEnds(chunk, before);
    before = chunk.at(-1) ?? before;
  }
  return line;
}

/** The lines that hold the bytes at some offsets, which rise. */
export async function linesAt(path: string, offsets: readonly number[]): Promise<number[]> {
  const lines: number[] = [];
  const read = { line: 1, offset: 0, before: 0 };
  const pass = (bytes: Buffer): void => {
    read.line += lineEnds(bytes, read.before);
    read.offset += bytes.length;
    read.before = bytes.at(-1) ?? read.before;
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const end = read.offset + chunk.length;
    const start = read.offset;
    for (let next = offsets[lines.length]; next !== undefined && next < end; next = offsets[lines.length]) {
      pass(chunk.subarray(read.offset - start, next - start));
      lines.push(read.line);
    }
    pass(chunk.subarray(read.offset - start));
    if (lines.length === offsets.length) break;
  }
  return lines;
}

/** What stands before a file that is a stretch of a larger one. */
export interface Base {
  /** Bytes. */
  readonly offset: number;
  readonly lines: number;
  readonly records: number;
}

export const wholeFile: Base = { offset: 0, lines: 0, records: 0 };

interface Placed {
  readonly path: string;
  readonly base?: Base | undefined;
}

/** The place of the byte at `offset` of this file, in the whole. */
export async function placeOf({ path, base = wholeFile }: Placed, offset: number) {
  return { line: base.lines + (await lineAt(path, offset)), byteOffset: base.offset + offset };
}

/** A PARSE_ERROR that names the line, or the record, and the byte. */
export const parseError = async (source: Placed, offset: number, what: string): Promise<Fault> =>
  parseErrorAt(await placeOf(source, offset), what);

interface Place {
  readonly line: number;
  readonly byteOffset: number;
}

const told = ({ line, byteOffset }: Place, what: string): string => `Line ${line}, byte offset ${byteOffset}: ${what}`;

export const parseErrorAt = (place: Place, what: string): Fault =>
  new Fault('PARSE_ERROR', told(place, what), { extra: { ...place } });

/** An OPTION_MISFIT that names the option and the line, or the record, and the byte that it does not fit. */
export async function misfitAt(source: Placed, offset: number, what: string, option: string): Promise<Fault> {
  const place = await placeOf(source, offset);
  return new Fault('OPTION_MISFIT', told(place, what), { extra: { option, ...place } });
}
