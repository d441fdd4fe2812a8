// A zip archive where it lies: a local file, or bytes in the object store, of which only what is asked for is read. Its list stands at its end, and is
// read in many small pieces: these come from blocks that are held.
import { Readable } from 'node:stream';
import * as yauzl from 'yauzl';
import { asError } from '../../../core/check.ts';
import { type Bytes, bytesIn } from '../bytes.ts';

/** Of an archive that lies elsewhere than on the disk. */
export interface ZipElsewhere {
  readonly size: number;
  /** At most a block of them at a time. */
  readonly read: (start: number, end: number) => Promise<Buffer>;
  /** What a file in it is packed as. */
  readonly stream: Bytes;
}

/** The path of a local file, or what lies elsewhere. */
export type ZipSource = string | ZipElsewhere;

const BLOCK_BYTES = 1 << 18;
const HELD_BLOCKS = 8;

/** Errors of whoever has the bytes: they say nothing of the archive. */
const ofStore = new WeakSet<Error>();
export const isOfStore = (thrown: unknown): boolean => thrown instanceof Error && ofStore.has(thrown);

async function marked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = asError(thrown);
    ofStore.add(error);
    throw error;
  }
}

async function* markedBytes(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = bytes[Symbol.asyncIterator]();
  try {
    for (let next = await marked(() => pieces.next()); next.done !== true; next = await marked(() => pieces.next()))
      yield next.value;
  } finally {
    await pieces.return?.();
  }
}

export function zipElsewhere(bytes: Bytes, size: number): ZipElsewhere {
  const held = new Map<number, Promise<Buffer>>();
  const blockAt = (place: number): Promise<Buffer> => {
    const start = place * BLOCK_BYTES;
    const block = held.get(place) ?? marked(() => bytesIn(bytes, start, Math.min(size, start + BLOCK_BYTES)));
    held.delete(place);
    held.set(place, block);
    const [oldest = place] = held.keys();
    if (held.size > HELD_BLOCKS) held.delete(oldest);
    return block;
  };
  const read = async (start: number, end: number): Promise<Buffer> => {
    const found: Buffer[] = [];
    for (let at = start; at < Math.min(end, size); at = (Math.floor(at / BLOCK_BYTES) + 1) * BLOCK_BYTES) {
      const place = Math.floor(at / BLOCK_BYTES);
      found.push((await blockAt(place)).subarray(at - place * BLOCK_BYTES, end - place * BLOCK_BYTES));
    }
    return Buffer.concat(found);
  };
  return withStream({ size, read }, bytes);
}

/** The same archive, where what a file in it is packed as is read in another way. */
export const withStream = ({ size, read }: Pick<ZipElsewhere, 'size' | 'read'>, stream: Bytes): ZipElsewhere => ({
  ...{ size, read },
  stream: (start, end) => markedBytes(stream(start, end)),
});

class ElsewhereReader extends yauzl.RandomAccessReader {
  readonly #source: ZipElsewhere;

  constructor(source: ZipElsewhere) {
    super();
    this.#source = source;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#source.read(position, position + length).then(
      (found) => done(null, found.copy(buffer, offset)),
      (thrown: unknown) => done(asError(thrown)),
    );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.stream(start, end));
  }
}

const options = { decodeStrings: false, autoClose: false, lazyEntries: true } as const;

/** The archive as yauzl opens it, to be closed by the caller; what is wrong with it is an error of yauzl's. */
export const openSource = (source: ZipSource): Promise<yauzl.ZipFile> =>
  typeof source === 'string'
    ? yauzl.openPromise(source, options)
    : yauzl.fromRandomAccessReaderPromise(new ElsewhereReader(source), source.size, options);
