// UTF-8 and UTF-16: by byte order mark or evidence in the head, and the proof that bytes are UTF-8.
import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { Fault } from '../../../core/fault.ts';

export interface Encoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be';
  readonly bomBytes: number;
  /** No byte order mark said so; the bytes look like it. */
  readonly guessed: boolean;
}

const LOOK_BYTES = 4096;
/** ASCII text in UTF-16 has a zero in every second byte; other scripts still have it at spaces, digits and line ends. */
const EVIDENT_SHARE = 0.3;

function guessEncoding(head: Uint8Array): Encoding {
  const pairs = Math.min(head.length, LOOK_BYTES) >> 1;
  let even = 0;
  let odd = 0;
  for (let pair = 0; pair < pairs; pair++) {
    if (head[2 * pair] === 0) even++;
    if (head[2 * pair + 1] === 0) odd++;
  }
  if (pairs > 0 && even === 0 && odd >= pairs * EVIDENT_SHARE) return { name: 'utf-16le', bomBytes: 0, guessed: true };
  if (pairs > 0 && odd === 0 && even >= pairs * EVIDENT_SHARE) return { name: 'utf-16be', bomBytes: 0, guessed: true };
  return { name: 'utf-8', bomBytes: 0, guessed: false };
}

/** The encoding by byte order mark, else by evidence, else UTF-8 (which its reader still has to prove). */
export function encodingOf(head: Uint8Array): Encoding {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { name: 'utf-8', bomBytes: 3, guessed: false };
  if (head[0] === 0xff && head[1] === 0xfe) return { name: 'utf-16le', bomBytes: 2, guessed: false };
  if (head[0] === 0xfe && head[1] === 0xff) return { name: 'utf-16be', bomBytes: 2, guessed: false };
  return guessEncoding(head);
}

/** Where the bytes stop being UTF-8, or -1. A character cut off at the end counts as wrong. */
export function firstInvalidByte(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1;
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8(bytes.subarray(0, middle)) || isCutOff(bytes, middle)) valid = middle;
    else invalid = middle;
  }
  return valid;
}

/** Whether the prefix only ends inside a character that is whole with at most three more bytes. */
function isCutOff(bytes: Uint8Array, length: number): boolean {
  for (let more = 1; more <= 3 && length + more <= bytes.length; more++) {
    if (isUtf8(bytes.subarray(0, length + more))) return true;
  }
  return false;
}

/** Refuses what is not UTF-8, naming the byte. `offset` is where `bytes` start in the file. */
export function requireUtf8(bytes: Uint8Array, offset: number): void {
  const place = firstInvalidByte(bytes);
  if (place < 0) return;
  const byte = (bytes[place] ?? 0).toString(16).padStart(2, '0');
  throw new Fault('ENCODING_INVALID', `The byte 0x${byte} at offset ${offset + place} is not UTF-8.`, {
    extra: { byteOffset: offset + place },
  });
}

/** How many bytes at the end may begin a character which goes on behind them: at most three. */
export function openEnd(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte >= 0xc0) return length;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Of a character, by its first byte. */
const characterBytes = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);

/** Looks at pieces of a text that follow each other; answers where the text stops being UTF-8, as soon as that is seen, or -1. */
function utf8Looker() {
  let offset = 0;
  // The last character of a piece, which may go on in the next.
  let begun = Buffer.alloc(0);
  const look = (bytes: Buffer): number => {
    const place = firstInvalidByte(bytes);
    const found = place < 0 ? -1 : offset + place;
    offset += bytes.length;
    return found;
  };
  const add = (piece: Buffer): number => {
    const missing = Math.max(0, begun.length === 0 ? 0 : characterBytes(begun[0] ?? 0) - begun.length);
    const rest = piece.subarray(missing);
    const first = Buffer.concat([begun, piece.subarray(0, missing)]);
    begun = first;
    if (missing > piece.length) return -1;
    const found = look(first);
    const end = rest.length - openEnd(rest);
    begun = Buffer.from(rest.subarray(end));
    return found >= 0 ? found : look(rest.subarray(0, end));
  };
  return { add, end: () => look(begun) };
}

/** The offset of the first byte that is not UTF-8, or -1. A piece is looked at before the next is asked for. */
export async function firstNotUtf8(pieces: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<number> {
  const looker = utf8Looker();
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    const place = looker.add(piece);
    if (place >= 0) return place;
  }
  return looker.end();
}

const LOOK_BYTES_AT_ONCE = 1 << 20;

/** A local file in pieces, each of which is there until the next is asked for: fresh buffers pile up faster than they go. */
export async function* inOneBuffer(path: string): AsyncGenerator<Buffer> {
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(LOOK_BYTES_AT_ONCE);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
