// Reads zstd (RFC 8878), one frame or several in a row. Node decodes one frame only and drops in silence what follows in the
// same chunk, so that the frames are told apart here, by their headers.
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants, createZstdDecompress } from 'node:zlib';
import { Fault } from '../../../core/fault.ts';
import { corrupt } from './corrupt.ts';
import { through } from './through.ts';

const FRAME = 0xfd2fb528;
/** The lowest four bits are free. */
const SKIPPABLE = 0x184d2a50;
const HEADER_BYTES = 14;
const BLOCK_HEADER_BYTES = 3;
const RLE_BLOCK = 1;
/** 128 MiB, which is what zstd itself takes unless it is told otherwise. */
const WINDOW_LOG = 27;

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

function requireWindow(header: Buffer): void {
  const descriptor = header[4] ?? 0;
  const exponent = 10 + ((header[5] ?? 0) >> 3);
  if ((descriptor & 0x20) !== 0 || exponent <= WINDOW_LOG) return;
  throw new Fault(
    'DECOMPRESSION_LIMIT',
    `zstd: it needs a window of 2^${exponent} bytes; the limit is 2^${WINDOW_LOG}.`,
    {
      extra: { limit: 2 ** WINDOW_LOG },
    },
  );
}

/** Bytes of the frame header: magic, descriptor, window unless it is one segment, dictionary id, content size. */
function headerBytes(descriptor: number): number {
  const single = (descriptor & 0x20) !== 0;
  const size = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return 5 + (single ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0) + size;
}

/** Where the frame at `offset` ends, by the headers of its blocks. */
async function frameEnd(file: FileHandle, offset: number, header: Buffer): Promise<number> {
  requireWindow(header);
  const descriptor = header[4] ?? 0;
  let at = offset + headerBytes(descriptor);
  for (let last = false; !last; ) {
    const block = await bytesAt(file, at, BLOCK_HEADER_BYTES);
    if (block.length < BLOCK_HEADER_BYTES) throw corrupt('zstd: the data is cut short.');
    const field = block.readUIntLE(0, BLOCK_HEADER_BYTES);
    last = (field & 1) === 1;
    at += BLOCK_HEADER_BYTES + (((field >> 1) & 3) === RLE_BLOCK ? 1 : field >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : 4);
}

/** Where the frame at `offset` ends, be it one of data or one to pass over. */
async function endOf(file: FileHandle, offset: number): Promise<number> {
  const header = await bytesAt(file, offset, HEADER_BYTES);
  const magic = header.length < 4 ? 0 : header.readUInt32LE(0);
  if (magic === FRAME) return frameEnd(file, offset, header);
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE && header.length >= 8) {
    return offset + 8 + header.readUInt32LE(4);
  }
  throw corrupt(`zstd: the bytes from offset ${offset} on are no zstd data.`);
}

/** The frames of the file, as places; the decoder passes over those without data. */
async function* framesOf(file: FileHandle): AsyncGenerator<{ start: number; end: number }> {
  const { size } = await file.stat();
  let offset = 0;
  do {
    const end = await endOf(file, offset);
    if (end > size) throw corrupt('zstd: the data is cut short.');
    yield { start: offset, end: end - 1 };
    offset = end;
  } while (offset < size);
}

/** What the zstd file holds. Faults: COMPRESSION_CORRUPT, DECOMPRESSION_LIMIT (the window). */
export async function* decodeZstd(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    for await (const frame of framesOf(file)) {
      const decoder = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } });
      yield* through(createReadStream(path, frame), decoder);
    }
  } finally {
    await file.close();
  }
}
