// What a compressed file holds: its first bytes for a look, or all of them on disk, within limits that hold while it is written.
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../../core/fault.ts';
import type { Compression, ReadLimits } from '../../reading/types.ts';
import { fileBytes } from '../bytes.ts';
import { decodeBzip2 } from './bzip2/decode.ts';
import { asCorrupt } from './corrupt.ts';
import { decodeGzip } from './gzip.ts';
import type { Compressed } from './kinds.ts';
import { decodeZip } from './zip.ts';
import { isOfStore, type ZipElsewhere } from './zip-source.ts';
import { decodeZstd } from './zstd.ts';

type Limits = Pick<ReadLimits, 'maxDecompressedBytes' | 'maxDecompressionRatio'>;

/** A compressed file of one stream, wherever its bytes come from. */
export type Streamed = Exclude<Compressed, 'zip'>;

const decoders: Readonly<Record<Streamed, (bytes: AsyncIterable<Buffer>, size: number) => AsyncIterable<Buffer>>> = {
  gzip: decodeGzip,
  bzip2: decodeBzip2,
  zstd: decodeZstd,
};

async function* decodeFile(path: string, compression: Compressed, entry?: number): AsyncGenerator<Buffer> {
  if (compression === 'zip') yield* decodeZip(path, entry);
  else yield* decoders[compression](fileBytes(path)(), (await stat(path)).size);
}

const HEAD_BYTES = 65_536;
/** Below this no ratio is held against a file: a small table of one repeated value is no attack. */
const FREE_BYTES = 64 * 2 ** 20;

/** The bytes that a file of `size` may expand to, and the sentence for the one that is too many. */
export function allowance(size: number, { maxDecompressedBytes: most, maxDecompressionRatio: ratio }: Limits) {
  const limit = Math.min(most, Math.max(FREE_BYTES, Math.floor(size * ratio)));
  const rule = `At most ${most} bytes are read, and beyond ${FREE_BYTES} no more than ${ratio} times the size.`;
  return {
    limit,
    detail: `Its ${size} bytes expand to more than ${limit}. ${rule}`,
    extra: { limit, ratio, compressedBytes: size },
  };
}

function bounded(size: number, limits: Limits): Transform {
  const { limit, detail, extra } = allowance(size, limits);
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen <= limit) return done(null, chunk);
      done(new Fault('DECOMPRESSION_LIMIT', detail, { extra }));
    },
  });
}

interface Packed {
  readonly bytes: AsyncIterable<Buffer>;
  readonly size: number;
  readonly compression: Streamed;
}

/** What compressed bytes hold, in pieces. Faults: those of `expand`. */
export const expandedStream = ({ bytes, size, compression }: Packed, limits: Limits): AsyncGenerator<Buffer> =>
  within(decoders[compression](bytes, size), { size, compression }, limits);

/** What the one file of a zip archive holds, in pieces. Faults: those of `expand`. */
export const expandedZip = (source: ZipElsewhere, limits: Limits): AsyncGenerator<Buffer> =>
  within(decodeZip(source), { size: source.size, compression: 'zip' }, limits);

async function* within(
  pieces: AsyncIterable<Buffer>,
  { size, compression }: { readonly size: number; readonly compression: Compressed },
  limits: Limits,
): AsyncGenerator<Buffer> {
  const { limit, detail, extra } = allowance(size, limits);
  let seen = 0;
  const counted = (piece: Buffer): Buffer => {
    seen += piece.length;
    if (seen > limit) throw new Fault('DECOMPRESSION_LIMIT', detail, { extra });
    return piece;
  };
  try {
    for await (const piece of pieces) yield counted(piece);
  } catch (thrown) {
    throw asCorrupt(compression, thrown);
  }
}

/** Pieces until there are `wanted` bytes; what comes behind them is not read. */
async function take(pieces: AsyncIterable<Buffer>, wanted: number, taken: Buffer[]): Promise<void> {
  let length = 0;
  for await (const piece of pieces) {
    taken.push(piece.subarray(0, wanted - length));
    length += piece.length;
    if (length >= wanted) return;
  }
}

/** The first 64 KiB of what the file holds, less where it is damaged behind them. Throws the Fault COMPRESSION_CORRUPT. */
export const expandedHead = (source: string | ZipElsewhere, compression: Compressed): Promise<Buffer> =>
  headOfPieces(typeof source === 'string' ? decodeFile(source, compression) : decodeZip(source), compression);

async function headOfPieces(pieces: AsyncIterable<Buffer>, compression: Compressed): Promise<Buffer> {
  const taken: Buffer[] = [];
  try {
    await take(pieces, HEAD_BYTES, taken);
  } catch (thrown) {
    if (taken.length === 0 || isOfStore(thrown)) throw asCorrupt(compression, thrown);
  }
  return Buffer.concat(taken);
}

interface ToExpand {
  readonly path: string;
  readonly compression: Compression;
  /** Of an archive of several files: the place of one in its list. */
  readonly entry?: number | undefined;
}

/**
 * Writes what a compressed file holds to `<workDir>/plain`, and returns that path; a plain file is returned as it is.
 * Faults: COMPRESSION_CORRUPT (cut short, damaged, or followed by something else), DECOMPRESSION_LIMIT (bytes, ratio, or the
 * window of zstd), and those of a zip archive.
 */
export async function expand(
  { path, compression, entry }: ToExpand,
  {
    workDir,
    limits,
    signal,
  }: { readonly workDir: string; readonly limits: Limits; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  if (compression === 'none') return path;
  const target = join(workDir, 'plain');
  const { size } = await stat(path);
  try {
    await pipeline(decodeFile(path, compression, entry), bounded(size, limits), createWriteStream(target), { signal });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw asCorrupt(compression, thrown);
  }
  return target;
}
