// Lines from the middle of a file of lines, a bounded number of them.
import type { Readable } from 'node:stream';
import { Fault } from '../core/fault.ts';

export interface LinesRead {
  readonly lines: readonly string[];
  /** The byte at which the next line begins; undefined where the last one has been read. */
  readonly next: number | undefined;
}

/** What follows the last row, so that it is known to be the last when it is read. */
const endLine = 'end';

const lineFeed = 10;

/**
 * At most `count` lines of at most `bytes` bytes together from the byte `at` on, from a stream that begins one byte before it (with it where
 * `at` is 0). Throws VALIDATION_FAILED where no line begins there, RESULT_TOO_LARGE where one line alone has more bytes.
 */
export async function readLines(body: Readable, at: number, count: number, bytes: number): Promise<LinesRead> {
  const lines: string[] = [];
  let next = at;
  for await (const line of linesOf(body, at > 0, bytes)) {
    if (line.toString() === endLine) return { lines, next: undefined };
    if (lines.length === count || next + line.length + 1 - at > bytes) break;
    lines.push(line.toString());
    next += line.length + 1;
  }
  if (lines.length === 0 && count > 0) throw new Fault('RESULT_TOO_LARGE', `One row has more than ${bytes} bytes.`);
  return { lines, next };
}

/** Each line without its end, or as much of one as is past `most` bytes; the stream is closed when nobody wants more. */
async function* linesOf(body: Readable, afterEnd: boolean, most: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let skip = afterEnd;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (skip && chunk[0] !== lineFeed) throw noLine();
    const parts = partsOf(Buffer.concat([rest, skip ? chunk.subarray(1) : chunk]));
    skip = false;
    rest = parts.pop() ?? rest;
    yield* parts;
    if (rest.length > most) break;
  }
  if (rest.length > most) yield rest;
  else if (skip || rest.length > 0) throw noLine();
}

/** The lines, and last what follows the last end of one. */
function partsOf(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, at)) {
    parts.push(bytes.subarray(at, end));
    at = end + 1;
  }
  return [...parts, bytes.subarray(at)];
}

const noLine = (): Fault => {
  const error = { pointer: '#/query/cursor', detail: 'No row begins where it says.' };
  return new Fault('VALIDATION_FAILED', 'The cursor is not one that a query gave.', { errors: [error] });
};
