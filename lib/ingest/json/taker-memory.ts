// The memory in which records of JSON are taken, and what stands where in it.
import { openVectors, PIECE_BYTES, SLACK_BYTES, type Vectors } from '../vectors/module.ts';
import { kinds } from './grammar.ts';

/** Of a record. A longer one is left. */
export const LONGEST = 1 << 16;
/** Records of tables with more are left: they are longer, mostly. */
export const MOST_COLUMNS = 1 << 13;
const MOST_RECORDS = 1 << 13;
const WORD_BYTES = 4;
/** What a record has in the index: where it begins and ends, and where its row ends. */
export const INDEX_WORDS = 3;
/** Of tables of what stands between values. */
export const TABLE_BYTES = 1 << 19;

/** Bytes that each part takes, in their order. */
const parts = {
  piece: PIECE_BYTES + SLACK_BYTES,
  index: MOST_RECORDS * INDEX_WORDS * WORD_BYTES,
  rows: 3 * PIECE_BYTES,
  slots: MOST_COLUMNS * WORD_BYTES,
  seen: MOST_COLUMNS * kinds.length,
  counts: MOST_COLUMNS * kinds.length * WORD_BYTES,
  asJson: MOST_COLUMNS,
  tables: TABLE_BYTES,
} as const;

/** The address of each part. */
const places = {} as Record<keyof typeof parts, number>;
let size = 0;
for (const [name, bytes] of Object.entries(parts) as [keyof typeof parts, number][]) {
  places[name] = size;
  size += bytes;
}

export interface TakerMemory extends Vectors {
  readonly at: Readonly<typeof places>;
  /** Three words a record. */
  readonly index: Int32Array;
  /** By column and kind. */
  readonly seen: Uint8Array;
  readonly counts: Int32Array;
  /** By column. */
  readonly asJson: Uint8Array;
  /** From the address of the tables on. */
  readonly tables: Int32Array;
}

/** Memories of readers that have ended; as many as are read side by side. */
const free: TakerMemory[] = [];
const MOST_FREE = 2;

function openMemory(): TakerMemory {
  const vectors = openVectors(size);
  const { buffer } = vectors.bytes;
  vectors.loops.jsonRoom(places.index, MOST_RECORDS, places.rows, places.rows + parts.rows);
  return {
    ...vectors,
    at: places,
    index: new Int32Array(buffer, places.index, MOST_RECORDS * INDEX_WORDS),
    seen: new Uint8Array(buffer, places.seen, parts.seen),
    counts: new Int32Array(buffer, places.counts, parts.counts / WORD_BYTES),
    asJson: new Uint8Array(buffer, places.asJson, parts.asJson),
    tables: new Int32Array(buffer, places.tables, TABLE_BYTES / WORD_BYTES),
  };
}

/** One that nobody uses; its counts are 0. */
export function takeMemory(): TakerMemory {
  const memory = free.pop() ?? openMemory();
  memory.counts.fill(0);
  return memory;
}

export function releaseMemory(memory: TakerMemory): void {
  if (free.length < MOST_FREE) free.push(memory);
}
