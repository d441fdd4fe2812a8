// Where a file stops being in its encoding. Found by reading again up to the place, since only a refusal needs it.
import { createReadStream } from 'node:fs';
import { Fault } from '../../../core/fault.ts';
import { lineAt } from '../place.ts';
import { type Decode, decoderOf, type EncodingName } from './encodings.ts';

/** Bytes that a decoder may hold back, and more: fed one by one they show where a character ends. */
const HELD_BYTES = 8;

/** The offset of the first character that does not fit, by feeding bytes one at a time. */
async function walk(path: string, decode: Decode, from: number): Promise<number> {
  const seen = { at: from, boundary: from };
  for await (const chunk of createReadStream(path, { start: from }) as AsyncIterable<Buffer>) {
    if (!chunk.every((byte) => step(decode, byte, seen))) break;
  }
  return seen.boundary;
}

/** Whether the byte fits; `boundary` is where the last whole character ended. */
function step(decode: Decode, byte: number, seen: { at: number; boundary: number }): boolean {
  const text = attempt(decode, byte);
  if (text === undefined) return false;
  seen.at++;
  if (text !== '') seen.boundary = seen.at;
  return true;
}

function attempt(decode: Decode, byte: number): string | undefined {
  try {
    return decode(Uint8Array.of(byte));
  } catch {
    return undefined;
  }
}

/**
 * An ENCODING_INVALID that names the first character which is not in the encoding: it stands at or shortly before `before`, up to where
 * the bytes from `start` on fit.
 */
export async function misfit(
  { path, name, start, before }: { path: string; name: EncodingName; start: number; before: number },
  cause: unknown,
): Promise<Fault> {
  const decode = decoderOf(name);
  const from = Math.max(start, before - HELD_BYTES);
  if (from > start) for await (const chunk of createReadStream(path, { start, end: from - 1 })) decode(chunk as Buffer);
  const byteOffset = await walk(path, decode, from);
  const line = name.startsWith('utf-16') ? undefined : await lineAt(path, byteOffset);
  const place = line === undefined ? 'The' : `Line ${line}: The`;
  return new Fault('ENCODING_INVALID', `${place} text at byte offset ${byteOffset} is not ${name}.`, {
    cause,
    extra: { byteOffset, ...(line !== undefined && { line }) },
  });
}
