// Places for people: the line of a byte. Found by reading again, since only a refusal needs it.
import { createReadStream } from 'node:fs';
import { Fault } from '../../core/fault.ts';

/** Line ends in a chunk: LF, CR and CRLF, of which the CR may be the last byte before it. */
function lineEnds(chunk: Buffer, before: number): number {
  let previous = before;
  let ends = 0;
  for (const byte of chunk) {
    if (byte === 13 || (byte === 10 && previous !== 13)) ends++;
    previous = byte;
  }
  return ends;
}

/** The 1-based line that holds the byte at `offset`. */
export async function lineAt(path: string, offset: number): Promise<number> {
  let line = 1;
  let before = 0;
  if (offset === 0) return line;
  for await (const chunk of createReadStream(path, { end: offset - 1 }) as AsyncIterable<Buffer>) {
    line += lineEnds(chunk, before);
    before = chunk.at(-1) ?? before;
  }
  return line;
}

/** A PARSE_ERROR that names the line, or the record, and the byte. */
export async function parseError(path: string, offset: number, what: string): Promise<Fault> {
  const line = await lineAt(path, offset);
  return new Fault('PARSE_ERROR', `Line ${line}, byte offset ${offset}: ${what}`, {
    extra: { line, byteOffset: offset },
  });
}
