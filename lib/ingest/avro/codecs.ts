// How the blocks of an Avro file are compressed. No block is written out beyond what may be held in memory.
import { crc32, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { decodeBzip2Bytes } from '../formats/compression/bzip2/decode.ts';
import { MAX_HELD_BYTES, tooLarge } from '../rows/held.ts';
import { damaged } from './cursor.ts';
import { decodeSnappy } from './snappy.ts';

type Codec = (bytes: Buffer) => Buffer;

const CHECKSUM_BYTES = 4;

function snappy(bytes: Buffer): Buffer {
  if (bytes.length < CHECKSUM_BYTES) throw damaged('a block compressed with Snappy is damaged.');
  const plain = decodeSnappy(bytes.subarray(0, -CHECKSUM_BYTES));
  if (crc32(plain) === bytes.readUInt32BE(bytes.length - CHECKSUM_BYTES)) return plain;
  throw damaged('the checksum of a block does not fit; the data is damaged.');
}

function bzip2(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let held = 0;
  for (const piece of decodeBzip2Bytes(bytes)) {
    held += piece.length;
    if (held > MAX_HELD_BYTES) throw tooLarge('A block', held);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** A function of zlib; what it throws says whether the block is damaged or too large. */
const zlib =
  (name: string, decode: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer): Codec =>
  (bytes) => {
    try {
      return decode(bytes, { maxOutputLength: MAX_HELD_BYTES });
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge('A block', MAX_HELD_BYTES + 1);
      throw damaged(`a block compressed with ${name} is damaged: ${asError(thrown).message}.`, thrown);
    }
  };

const codecs: Readonly<Record<string, Codec>> = {
  null: (bytes) => bytes,
  deflate: zlib('deflate', inflateRawSync),
  zstandard: zlib('zstd', zstdDecompressSync),
  snappy,
  bzip2,
};

/** Throws the Fault PARSE_ERROR for another codec than null, deflate, snappy, bzip2 and zstandard. */
export function codecOf(name: string): Codec {
  const codec = Object.hasOwn(codecs, name) ? codecs[name] : undefined;
  if (codec !== undefined) return codec;
  const read = Object.keys(codecs).join(', ');
  throw new Fault(
    'PARSE_ERROR',
    `Avro: its blocks are compressed with ${JSON.stringify(name.slice(0, 32))}; ${read} are read.`,
  );
}
