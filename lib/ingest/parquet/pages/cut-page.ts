// A page of plain values as several small ones. It goes by: no more of it is in memory than a small page, and the levels of its entries.
import { encodings, type Page } from './page-header.ts';
import { byteQueue, type ByteQueue } from './byte-queue.ts';
import type { Leaf } from './leaves.ts';
import { readLevels, writeLevels } from './levels.ts';

/** Of values in a page, and one value more. */
const PAGE_BYTES = 2 ** 18;

type Bytes = AsyncIterable<Buffer>;

export interface Cutting {
  readonly leaf: Leaf;
  /** What is stored between two places of the file. */
  readonly stored: (start: number, end: number) => Bytes;
  readonly expand: (bytes: Bytes) => Bytes;
  /** Bytes of a value. */
  readonly mostBytes: number;
}

export interface SmallPage {
  /** The missing ones among them. */
  readonly values: number;
  /** As it is before it is compressed. */
  readonly body: Buffer;
}

/** Whether a page can be cut: it is one of values that stand behind each other as they are. */
export const canBeCut = ({ header }: Page, { width }: Leaf): boolean =>
  header.kind !== 'other' && header.encoding === encodings.plain && width !== 0;

interface Opened {
  readonly repetition: Uint8Array | undefined;
  readonly definition: Uint8Array | undefined;
  readonly values: ByteQueue;
  readonly close: () => Promise<void>;
}

async function openPage({ header, data, end }: Page, { leaf, stored, expand }: Cutting): Promise<Opened> {
  if (header.kind === 'other') throw new TypeError('the page is none of values');
  const { levels: most } = leaf;
  const levelsIn = async (queue: ByteQueue, length: (queue: ByteQueue) => Promise<number>, level: number) =>
    level === 0 ? undefined : readLevels(await queue.take(await length(queue)), header.values, level);
  if (header.kind === 'data') {
    const values = byteQueue(expand(stored(data, end)));
    const said = async (queue: ByteQueue): Promise<number> => (await queue.take(4)).readUInt32LE(0);
    const repetition = await levelsIn(values, said, most.repetition);
    const definition = await levelsIn(values, said, most.definition);
    return { repetition, definition, values, close: () => values.close() };
  }
  const { repetitionBytes, definitionBytes, isCompressed } = header;
  const [middle, from] = [data + repetitionBytes, data + repetitionBytes + definitionBytes];
  const repetition = await levelsIn(
    byteQueue(stored(data, middle)),
    () => Promise.resolve(repetitionBytes),
    most.repetition,
  );
  const definition = await levelsIn(
    byteQueue(stored(middle, from)),
    () => Promise.resolve(definitionBytes),
    most.definition,
  );
  const values = byteQueue(isCompressed ? expand(stored(from, end)) : stored(from, end));
  return { repetition, definition, values, close: () => values.close() };
}

/** Throws a TypeError where it is not as its header says, or a value has more bytes than `mostBytes`. */
export async function* cutPage(page: Page, cutting: Cutting): AsyncGenerator<SmallPage> {
  const opened = await openPage(page, cutting);
  try {
    yield* smallPages(opened, page.header.kind === 'other' ? 0 : page.header.values, cutting);
  } finally {
    await opened.close();
  }
}

async function* smallPages({ repetition, definition, values }: Opened, count: number, cutting: Cutting) {
  const { leaf, mostBytes } = cutting;
  const run = valueRun(values, leaf, mostBytes);
  /** The entry that the page begins with. */
  let from = 0;
  const cut = (to: number): SmallPage => {
    const levels = [
      repetition === undefined ? [] : writeLevels(repetition.subarray(from, to), leaf.levels.repetition),
      definition === undefined ? [] : writeLevels(definition.subarray(from, to), leaf.levels.definition),
    ].flat();
    const page = { values: to - from, body: Buffer.concat([...levels, run.take()]) };
    from = to;
    return page;
  };
  for (let entry = 0; entry < count; entry++) {
    // A row stays in one page.
    if (run.bytes() >= PAGE_BYTES && (repetition === undefined || repetition[entry] === 0)) yield cut(entry);
    if (definition !== undefined && definition[entry] !== leaf.levels.definition) continue;
    while (!run.pass()) await run.more();
  }
  if (count > from) yield cut(count);
}

const LENGTH_BYTES = 4;

/** Values behind each other, passed one by one until they are taken. */
function valueRun(values: ByteQueue, { width }: Leaf, mostBytes: number) {
  let bytes: Buffer = Buffer.alloc(0);
  let [start, at] = [0, 0];
  /** Of the next value with its length; of the length alone where that is not there as a whole. */
  const size = (): number => {
    if (width !== undefined) return width;
    return at + LENGTH_BYTES > bytes.length ? LENGTH_BYTES : LENGTH_BYTES + bytes.readUInt32LE(at);
  };
  return {
    /** Of those that were passed. */
    bytes: () => at - start,
    /** Says whether the next value was there as a whole. Throws a TypeError where it is too large. */
    pass: (): boolean => {
      const next = size();
      if (next > mostBytes) throw new TypeError('a page has a value that is too large');
      if (at + next > bytes.length) return false;
      at += next;
      return true;
    },
    more: async (): Promise<void> => {
      const piece = await values.next();
      if (piece === undefined) throw new TypeError('a page is cut short');
      bytes = Buffer.concat([bytes.subarray(start), piece]);
      [at, start] = [at - start, 0];
    },
    take: (): Buffer => {
      const taken = bytes.subarray(start, at);
      start = at;
      return taken;
    },
  };
}
