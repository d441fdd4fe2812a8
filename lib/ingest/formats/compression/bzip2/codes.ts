// The Huffman codes of a block of bzip2, and which of its tables each fifty symbols use.
import { corrupt } from '../corrupt.ts';
import type { BitReader } from './bits.ts';

/** A canonical code: how to tell the length of the next one, and which symbol it stands for. */
export interface CodeTable {
  readonly shortest: number;
  readonly longest: number;
  /** By length: the largest code, -1 where there is none. */
  readonly largest: Int32Array;
  /** By length: what is taken off a code to give its place in `symbols`. */
  readonly offset: Int32Array;
  readonly symbols: Uint16Array;
  /** By the next `QUICK_BITS` bits: symbol × 32 + length of the code that they begin with, 0 where it is longer. */
  readonly quick: Uint16Array;
}

const LONGEST = 20;
const QUICK_BITS = 10;
const MOST_TABLES = 6;

/** The numbers from 0 to 15 whose bits are set, the first bit first. */
function readSet(bits: BitReader): number[] {
  const set = bits.read(16);
  return Array.from({ length: 16 }, (_, at) => at).filter((at) => (set & (0x8000 >> at)) !== 0);
}

/** The bytes that occur in the block, in order: two levels of 16 bits. */
export function readAlphabet(bits: BitReader): Uint8Array {
  const used = readSet(bits).flatMap((group) => readSet(bits).map((at) => 16 * group + at));
  if (used.length === 0) throw corrupt('bzip2: a block uses no byte at all.');
  return Uint8Array.from(used);
}

/** How many ones stand before the next zero, less than `most`. */
function readUnary(bits: BitReader, most: number): number {
  let ones = 0;
  while (bits.read(1) === 1) ones++;
  if (ones >= most) throw corrupt('bzip2: a block names a code table that is not there.');
  return ones;
}

/** The table that each group of fifty symbols uses, moved to the front as they were written. */
export function readSelectors(bits: BitReader): { tables: number; selectors: Uint8Array } {
  const tables = bits.read(3);
  const count = bits.read(15);
  if (tables < 2 || tables > MOST_TABLES || count === 0) throw corrupt('bzip2: a block has no valid code tables.');
  const order = Array.from({ length: tables }, (_, index) => index);
  const selectors = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    const [table = 0] = order.splice(readUnary(bits, tables), 1);
    order.unshift(table);
    selectors[at] = table;
  }
  return { tables, selectors };
}

/** Lengths are written as differences from the one before. */
function readLengths(bits: BitReader, symbols: number): Uint8Array {
  const lengths = new Uint8Array(symbols);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    while (bits.read(1) === 1) length += bits.read(1) === 0 ? 1 : -1;
    if (length < 1 || length > LONGEST) throw corrupt('bzip2: a code has no valid length.');
    lengths[symbol] = length;
  }
  return lengths;
}

/** The code table for `symbols` symbols. */
export function readTable(bits: BitReader, symbols: number): CodeTable {
  const lengths = readLengths(bits, symbols);
  const counts = new Int32Array(LONGEST + 2);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const order = Array.from(lengths.keys()).sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  const largest = new Int32Array(LONGEST + 1).fill(-1);
  const offset = new Int32Array(LONGEST + 1);
  const quick = new Uint16Array(1 << QUICK_BITS);
  let code = 0;
  let before = 0;
  for (let length = 1; length <= LONGEST; length++) {
    const count = counts[length] ?? 0;
    offset[length] = code - before;
    if (count > 0) largest[length] = code + count - 1;
    for (let at = 0; at < count && length <= QUICK_BITS; at++) {
      const room = QUICK_BITS - length;
      quick.fill((order[before + at] ?? 0) * 32 + length, (code + at) << room, (code + at + 1) << room);
    }
    code = (code + count) << 1;
    before += count;
  }
  return {
    shortest: Math.min(...lengths),
    longest: Math.max(...lengths),
    largest,
    offset,
    symbols: Uint16Array.from(order),
    quick,
  };
}

/** The next symbol. Throws the Fault COMPRESSION_CORRUPT. */
export function readSymbol(bits: BitReader, table: CodeTable): number {
  const known = table.quick[bits.peek(QUICK_BITS)] as number;
  if (known !== 0) {
    bits.skip(known & 31);
    return known >>> 5;
  }
  let length = table.shortest;
  let code = bits.read(length);
  while (code > (table.largest[length] as number)) {
    if (++length > table.longest) throw corrupt('bzip2: a code stands for nothing.');
    code = (code << 1) | bits.read(1);
  }
  return table.symbols[code - (table.offset[length] as number)] as number;
}
