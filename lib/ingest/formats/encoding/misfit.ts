// Where a file stops being in its encoding. Found by reading again up to the place, since only a refusal needs it.
import { Fault } from '../../../core/fault.ts';
import type { Bytes } from '../bytes.ts';
import { lineIn } from '../place.ts';
import { type Decode, decoderOf, type EncodingName } from './encodings.ts';

/** Bytes that a decoder may hold back, and more: fed one by one they show where a character ends. */
const HELD_BYTES = 8;

/** The offset of the first character that does not fit, by feeding bytes one at a time. */
async function walk(bytes: Bytes, decode: Decode, from: number): Promise<number> {
  const seen = { at: from, boundary: from };
  for await (const chunk of bytes(from)) {
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
 * the bytes from `start` on, where a character begins, fit.
 */
export async function misfit(
  bytes: Bytes,
  { name, start, before }: { name: EncodingName; start: number; before: number },
  cause: unknown,
): Promise<Fault> {
  const decode = decoderOf(name);
  const from = Math.max(start, before - HELD_BYTES);
  for await (const chunk of bytes(start, from)) decode(chunk);
  const byteOffset = await walk(bytes, decode, from);
  const line = name.startsWith('utf-16') ? undefined : await lineIn(bytes, byteOffset);
  const place = line === undefined ? 'The' : `Line ${line}: The`;
  return new Fault('ENCODING_INVALID', `${place} text at byte offset ${byteOffset} is not ${name}.`, {
    cause,
    extra: { byteOffset, ...(line !== undefined && { line }) },
  });
}
