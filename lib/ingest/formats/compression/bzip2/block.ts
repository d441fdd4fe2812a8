// One block of bzip2: symbols to bytes in sorted order (Huffman, move to front, runs), then back to their own order.
import { corrupt } from '../corrupt.ts';
import type { BitReader } from './bits.ts';
import { type CodeTable, readAlphabet, readSelectors, readSymbol, readTable } from './codes.ts';

const GROUP_SYMBOLS = 50;
const RUN_SYMBOLS = 2;

/** A block before it is written out: `links` holds a byte in its low 8 bits and the place of the next above them. */
export interface Block {
  readonly links: Uint32Array;
  readonly length: number;
  /** Where the walk along the links begins. */
  readonly start: number;
}

/** The next symbol under the table that is due, which changes every fifty. */
function symbolReader(bits: BitReader, symbols: number): () => number {
  const { tables, selectors } = readSelectors(bits);
  const codes = Array.from({ length: tables }, () => readTable(bits, symbols));
  let group = 0;
  let left = 0;
  let table = codes[0] as CodeTable;
  return () => {
    if (left === 0) {
      if (group === selectors.length) throw corrupt('bzip2: a block has no end.');
      table = codes[selectors[group++] ?? 0] as CodeTable;
      left = GROUP_SYMBOLS;
    }
    left--;
    return readSymbol(bits, table);
  };
}

function requireRoom(links: Uint32Array, length: number): void {
  if (length > links.length) throw corrupt('bzip2: a block is longer than its stream allows.');
}

/** Fills `links` with the bytes of the block in sorted order; answers how many there are. */
function readBytes(bits: BitReader, links: Uint32Array): number {
  const front = readAlphabet(bits);
  const endOfBlock = front.length + RUN_SYMBOLS - 1;
  const next = symbolReader(bits, endOfBlock + 1);
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let symbol = next(); ; symbol = next()) {
    if (symbol < RUN_SYMBOLS) {
      run += weight << symbol;
      weight <<= 1;
      requireRoom(links, run);
      continue;
    }
    requireRoom(links, length + run);
    if (run > 0) links.fill(front[0] as number, length, length + run);
    length += run;
    run = 0;
    weight = 1;
    if (symbol === endOfBlock) return length;
    requireRoom(links, length + 1);
    const byte = front[symbol - 1] as number;
    // Most moves are short: a loop is faster than `copyWithin`.
    for (let at = symbol - 1; at > 0; at--) front[at] = front[at - 1] as number;
    front[0] = byte;
    links[length++] = byte;
  }
}

/** Where each byte's successor stands, by counting: bytes of one value keep their order. */
function link(links: Uint32Array, length: number): void {
  const places = new Uint32Array(257);
  for (let at = 0; at < length; at++) {
    const byte = (links[at] as number) & 0xff;
    places[byte + 1] = (places[byte + 1] as number) + 1;
  }
  for (let byte = 1; byte < 256; byte++) places[byte] = (places[byte] as number) + (places[byte - 1] as number);
  for (let at = 0; at < length; at++) {
    const byte = (links[at] as number) & 0xff;
    const place = places[byte] as number;
    places[byte] = place + 1;
    links[place] = (links[place] as number) | (at << 8);
  }
}

/** Reads a block behind its checksum into `links`. Throws the Fault COMPRESSION_CORRUPT. */
export function readBlock(bits: BitReader, links: Uint32Array): Block {
  if (bits.read(1) === 1) throw corrupt('bzip2: the file is of a version before 1.0, which is not read.');
  const origin = bits.read(24);
  const length = readBytes(bits, links);
  if (origin >= length) throw corrupt('bzip2: a block begins outside itself.');
  link(links, length);
  return { links, length, start: (links[origin] as number) >>> 8 };
}
