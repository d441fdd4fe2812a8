// A page of plain values as several small ones. It goes by: no more of it is in memory than a small page, and the levels of its entries.
import { encodings, type Page } from './page-header.ts';
import { atMost, byteQueue, type ByteQueue } from './byte-queue.ts';
import type { Leaf } from './leaves.ts';
import { readLevels, writeLevels } from './levels.ts';

/** Of values in a page, and one value more. */
const PAGE_BYTES = 2 ** 18;
/** What a page may have that is cut, so that one that says more than it holds takes no more memory: entries, bytes of levels, and bytes of a row. */
const [MOST_ENTRIES, MOST_LEVEL_BYTES, MOST_ROW_BYTES] = [2 ** 25, 2 ** 24, 2 ** 24];

type Bytes = AsyncIterable<Buffer>;

export interface Cutting {
  readonly leaf: Leaf;
  /** What is stored between two places of the file. */
  readonly stored: (start: number, end: number) => Bytes;
  readonly expand: (bytes: Bytes) => Bytes;
  readonly mostBytes: {
    readonly value: number;
    /** What so many bytes may expand to. */
    readonly expanded: (stored: number) => number;
  };
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

function requireAtMost(found: number, most: number): void {
  if (found > most) throw new TypeError('a page has more than is cut');
}

async function openPage({ header, data, end }: Page, { leaf, stored, expand, mostBytes }: Cutting): Promise<Opened> {
  if (header.kind === 'other') throw new TypeError('the page is none of values');
  const { repetition: mostRepetition, definition: mostDefinition } = leaf.levels;
  requireAtMost(header.values, MOST_ENTRIES);
  const most = Math.min(header.uncompressed, mostBytes.expanded(header.compressed));
  const expanded = (from: number) => atMost(expand(stored(from, end)), most);
  const levelsIn = async (queue: ByteQueue, length: (queue: ByteQueue) => Promise<number>, level: number) => {
    if (level === 0) return undefined;
    const bytes = await length(queue);
    requireAtMost(bytes, MOST_LEVEL_BYTES);
    return readLevels(await queue.take(bytes), header.values, level);
  };
  if (header.kind === 'data') {
    const values = byteQueue(expanded(data));
    const said = async (queue: ByteQueue): Promise<number> => (await queue.take(4)).readUInt32LE(0);
    const repetition = await levelsIn(values, said, mostRepetition);
    const definition = await levelsIn(values, said, mostDefinition);
    return { repetition, definition, values, close: () => values.close() };
  }
  const { repetitionBytes, definitionBytes, isCompressed } = header;
  const [middle, from] = [data + repetitionBytes, data + repetitionBytes + definitionBytes];
  const repetition = await levelsIn(
    byteQueue(stored(data, middle)),
    () => Promise.resolve(repetitionBytes),
    mostRepetition,
  );
  const definition = await levelsIn(
    byteQueue(stored(middle, from)),
    () => Promise.resolve(definitionBytes),
    mostDefinition,
  );
  const values = byteQueue(isCompressed ? expanded(from) : stored(from, end));
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
  const run = valueRun(values, leaf, mostBytes.value);
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
    requireAtMost(run.bytes(), MOST_ROW_BYTES);
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
