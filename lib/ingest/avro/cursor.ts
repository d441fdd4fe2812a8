// Avro's binary encoding over bytes at hand: every length is held against what is left before anything is made of it.
import { Fault } from '../../core/fault.ts';

export const damaged = (what: string, cause?: unknown): Fault =>
  new Fault('PARSE_ERROR', `Avro: ${what}`, cause === undefined ? {} : { cause });

export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

const MAX_VARINT_BYTES = 10;
/** Seven bits a byte: so many make a number that needs no BigInt. */
const SHORT_BYTES = 7;

function byte(cursor: Cursor): number {
  const value = cursor.bytes[cursor.at];
  if (value === undefined) throw damaged('a value ends behind the end of its block.');
  cursor.at++;
  return value;
}

/** A whole number of 64 bits, in zigzag. */
export function readLong(cursor: Cursor): bigint {
  const start = cursor.at;
  let small = 0;
  for (let index = 0, scale = 1; index < SHORT_BYTES; index++, scale *= 128) {
    const value = byte(cursor);
    small += (value & 127) * scale;
    if (value < 128) return BigInt(small % 2 === 0 ? small / 2 : -(small + 1) / 2);
  }
  cursor.at = start;
  return readLongest(cursor);
}

function readLongest(cursor: Cursor): bigint {
  let value = 0n;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const next = byte(cursor);
    value |= BigInt(next & 127) << BigInt(7 * index);
    if (next >= 128) continue;
    if (value >= 2n ** 64n) break;
    return (value >> 1n) ^ -(value & 1n);
  }
  throw damaged('a whole number has more than 64 bits.');
}

export function readInt(cursor: Cursor): number {
  const value = Number(readLong(cursor));
  if (value !== (value | 0)) throw damaged('a whole number has more than 32 bits.');
  return value;
}

/** A length or a count. */
export function readSize(cursor: Cursor): number {
  const value = Number(readLong(cursor));
  if (value < 0 || !Number.isSafeInteger(value)) throw damaged(`a length of ${value} cannot be.`);
  return value;
}

export function readBytes(cursor: Cursor, length: number): Buffer {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw damaged('a value ends behind the end of its block.');
  const bytes = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return bytes;
}

/** The number of items of a block of an array or a map, 0 at its end. */
export function readCount(cursor: Cursor): number {
  const count = readLong(cursor);
  if (count < 0n) readSize(cursor);
  const size = Number(count < 0n ? -count : count);
  if (!Number.isSafeInteger(size)) throw damaged(`a count of ${size} cannot be.`);
  return size;
}
