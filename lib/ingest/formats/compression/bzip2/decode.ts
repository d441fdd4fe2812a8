// Reads bzip2, one stream or several in a row, block by block: memory stays under 6 MB whatever the data says.
import { corrupt } from '../corrupt.ts';
import { BitReader, type Fill } from './bits.ts';
import { type Block, readBlock } from './block.ts';

const BLOCK = [0x314159, 0x265359];
const END = [0x177245, 0x385090];
const LEVEL_BYTES = 100_000;
const PIECE_BYTES = 1 << 20;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value;
});

/** How far a block is written out. */
interface Walk {
  place: number;
  left: number;
  /** The byte before, and how many times it stands there in a row; -1 behind a count. */
  before: number;
  equal: number;
  crc: number;
}

/** Writes bytes of the block until `piece` is all but full or the block ends; four equal ones are followed by how many more there are. */
function writeSome(links: Uint32Array, walk: Walk, piece: Uint8Array): number {
  let { place, left, before, equal, crc } = walk;
  let filled = 0;
  for (; left > 0 && filled < piece.length - 255; left--) {
    const entry = links[place] as number;
    place = entry >>> 8;
    const counts = equal === 4;
    const value = counts ? before : entry & 0xff;
    equal = counts ? 0 : value === before ? equal + 1 : 1;
    before = counts ? -1 : value;
    for (let copies = counts ? entry & 0xff : 1; copies > 0; copies--) {
      piece[filled++] = value;
      crc = (crc << 8) ^ (crcTable[(crc >>> 24) ^ value] as number);
    }
  }
  Object.assign(walk, { place, left, before, equal, crc });
  return filled;
}

/** The bytes of a block. Throws the Fault COMPRESSION_CORRUPT where their checksum differs. */
function* unpack({ links, length, start }: Block, checksum: number): Generator<Buffer> {
  const walk: Walk = { place: start, left: length, before: -1, equal: 0, crc: -1 };
  while (walk.left > 0) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    yield piece.subarray(0, writeSome(links, walk, piece));
  }
  if (~walk.crc >>> 0 !== checksum) throw corrupt('bzip2: the checksum of a block does not fit; the data is damaged.');
}

function readLevel(bits: BitReader): number {
  const offset = bits.offset;
  const magic = bits.atEnd() ? '' : String.fromCharCode(bits.read(8), bits.read(8), bits.read(8));
  const level = magic === 'BZh' ? bits.read(8) - 48 : 0;
  if (level < 1 || level > 9) throw corrupt(`bzip2: the bytes from offset ${offset} on are no bzip2 data.`);
  return level;
}

function* readStream(bits: BitReader, links: Uint32Array): Generator<Buffer> {
  for (let combined = 0; ; ) {
    const [first, second, checksum] = [bits.read(24), bits.read(24), bits.readWord()];
    const ended = first === END[0] && second === END[1];
    if (ended && combined === checksum) return bits.align();
    if (ended) throw corrupt('bzip2: the checksum of a stream does not fit; the data is damaged.');
    if (first !== BLOCK[0] || second !== BLOCK[1])
      throw corrupt(`bzip2: no block begins at offset ${bits.offset - 10}.`);
    combined = (((combined << 1) | (combined >>> 31)) ^ checksum) >>> 0;
    yield* unpack(readBlock(bits, links), checksum);
  }
}

function* readStreams(fill: Fill): Generator<Buffer> {
  const bits = new BitReader(fill);
  do {
    yield* readStream(bits, new Uint32Array(readLevel(bits) * LEVEL_BYTES));
  } while (!bits.atEnd());
}

/** More than a block, of 900,000 symbols with at most 20 bits each, and what stands around it. */
const AHEAD_BYTES = 4 << 20;

/** What is at hand of bytes that come. */
function aheadOf(source: AsyncIterator<Buffer>) {
  const held: Buffer[] = [];
  let length = 0;
  let ended = false;
  const take = async (): Promise<void> => {
    const next = await source.next();
    ended = next.done === true;
    if (next.done === true) return;
    held.push(next.value);
    length += next.value.length;
  };
  /** Waits until there is enough for a block. */
  const gather = async (): Promise<void> => {
    while (length < AHEAD_BYTES && !ended) await take();
  };
  const fill: Fill = (piece) => {
    const [first] = held;
    if (first === undefined && ended) return 0;
    // To end here would be to leave the rest out in silence.
    if (first === undefined) throw corrupt(`bzip2: ${AHEAD_BYTES} bytes of it hold nothing.`);
    const filled = first.copy(piece);
    length -= filled;
    if (filled < first.length) held[0] = first.subarray(filled);
    else held.shift();
    return filled;
  };
  return { gather, fill };
}

/** What the bzip2 file holds, in pieces of at most 1 MiB. Throws the Fault COMPRESSION_CORRUPT. */
export async function* decodeBzip2(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = bytes[Symbol.asyncIterator]();
  const { gather, fill } = aheadOf(source);
  const pieces = readStreams(fill);
  try {
    await gather();
    for (const piece of pieces) {
      yield piece;
      await gather();
    }
  } finally {
    await source.return?.();
  }
}

/** The same of bytes at hand. */
export function decodeBzip2Bytes(bytes: Buffer): Generator<Buffer> {
  let at = 0;
  return readStreams((piece) => {
    const filled = bytes.copy(piece, 0, at);
    at += filled;
    return filled;
  });
}
