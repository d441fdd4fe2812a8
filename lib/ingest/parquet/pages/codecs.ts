// How pages are compressed: each of what writers use as it goes by, so that none of a page need be in memory as a whole.
import { pipeline, Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress, zstdCompressSync } from 'node:zlib';
import { unsnapped } from './snappy.ts';

type Bytes = AsyncIterable<Buffer>;

/** Numbers of what is written. */
export const codecs = { uncompressed: 0, zstd: 6 } as const;
const [SNAPPY, GZIP, BROTLI] = [1, 2, 4];

const CHUNK_BYTES = 2 ** 18;

function through(bytes: Bytes, stream: NodeJS.ReadWriteStream): Bytes {
  // What goes wrong ends the stream that is read.
  pipeline(Readable.from(bytes), stream, () => undefined);
  return stream as unknown as Bytes;
}

/** By the number of what they are compressed with; undefined for what is not read. */
export function expandedBy(codec: number): ((bytes: Bytes) => Bytes) | undefined {
  if (codec === codecs.uncompressed) return (bytes) => bytes;
  if (codec === SNAPPY) return unsnapped;
  if (codec === GZIP) return (bytes) => through(bytes, createGunzip({ chunkSize: CHUNK_BYTES }));
  if (codec === BROTLI) return (bytes) => through(bytes, createBrotliDecompress({ chunkSize: CHUNK_BYTES }));
  if (codec === codecs.zstd) return (bytes) => through(bytes, createZstdDecompress({ chunkSize: CHUNK_BYTES }));
  return undefined;
}

/** What is read often and written once: the quickest. */
const LEVEL = 1;

/** What pages are compressed with that were with `codec`, and how. */
export const compressedLike = (codec: number) =>
  codec === codecs.uncompressed
    ? { codec: codecs.uncompressed, compress: (bytes: Buffer) => bytes }
    : {
        codec: codecs.zstd,
        compress: (bytes: Buffer): Buffer =>
          zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } }),
      };
