// Reads zstd (RFC 8878), one frame or several in a row. Node decodes one frame only and drops in silence what follows in the
// same chunk, so that the frames are told apart here, by their headers.
import { Readable } from 'node:stream';
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

/** Bytes as they come, of which some are looked at before they are passed on. */
class Cursor {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #passed = 0;

  constructor(source: AsyncIterator<Buffer>) {
    this.#source = source;
  }

  /** How many bytes were passed on. */
  get offset(): number {
    return this.#passed;
  }

  /** The next bytes, fewer at the end; they are not used up. */
  async peek(length: number): Promise<Buffer> {
    while (this.#held.length < length && (await this.#more()));
    return this.#held.subarray(0, length);
  }

  /** Uses up so many bytes, and answers them in pieces. Throws the Fault COMPRESSION_CORRUPT at the end of the file. */
  async *take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#more())) throw corrupt('zstd: the data is cut short.');
      const piece = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(piece.length);
      this.#passed += piece.length;
      left -= piece.length;
      yield piece;
    }
  }

  /** Uses up so many bytes. Throws the Fault COMPRESSION_CORRUPT at the end of the file. */
  async skip(length: number): Promise<void> {
    const pieces = this.take(length);
    while ((await pieces.next()).done !== true);
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next();
    if (next.done === true) return false;
    this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value]);
    return true;
  }
}

/** One frame, by the headers of its blocks. */
async function* frame(cursor: Cursor, header: Buffer): AsyncGenerator<Buffer> {
  const descriptor = header[4] ?? 0;
  yield* cursor.take(headerBytes(descriptor));
  for (let last = false; !last; ) {
    const block = await cursor.peek(BLOCK_HEADER_BYTES);
    if (block.length < BLOCK_HEADER_BYTES) throw corrupt('zstd: the data is cut short.');
    const field = block.readUIntLE(0, BLOCK_HEADER_BYTES);
    last = (field & 1) === 1;
    yield* cursor.take(BLOCK_HEADER_BYTES + (((field >> 1) & 3) === RLE_BLOCK ? 1 : field >> 3));
  }
  yield* cursor.take((descriptor & 4) === 0 ? 0 : 4);
}

/** What the next frame holds; nothing where it is one to pass over. */
async function* decodeFrame(cursor: Cursor): AsyncGenerator<Buffer> {
  const header = Buffer.from(await cursor.peek(HEADER_BYTES));
  const magic = header.length < 4 ? 0 : header.readUInt32LE(0);
  if (magic === FRAME) {
    requireWindow(header);
    const decoder = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } });
    yield* through(Readable.from(frame(cursor, header)), decoder);
  } else if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE && header.length >= 8) {
    await cursor.skip(8 + header.readUInt32LE(4));
  } else throw corrupt(`zstd: the bytes from offset ${cursor.offset} on are no zstd data.`);
}

/** What the zstd file holds. Faults: COMPRESSION_CORRUPT, DECOMPRESSION_LIMIT (the window). */
export async function* decodeZstd(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = bytes[Symbol.asyncIterator]();
  const cursor = new Cursor(source);
  try {
    do yield* decodeFrame(cursor);
    while ((await cursor.peek(1)).length > 0);
  } finally {
    await source.return?.();
  }
}
