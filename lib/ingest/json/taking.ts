// Records whose keys are known and stand in the order of their columns are read and written out as rows in one go, by the hundred: most are.
// Any other is left as it is, for the reader that reads them all and says what is wrong with what it cannot.
import { pieceOf, type Piece } from '../vectors/piece.ts';
import type { Family } from '../typing/relation.ts';
import type { KeyColumns } from './columns.ts';
import { type Cursor, kinds } from './grammar.ts';
import { type LeadTables, putLeads } from './lead-tables.ts';
import type { Leads } from './leads.ts';
import type { RowBuffer } from './rows.ts';
import { INDEX_WORDS, LONGEST, MOST_COLUMNS, releaseMemory, takeMemory, type TakerMemory } from './taker-memory.ts';

/** Records that are left without a look, at most, behind one that was left. */
const MOST_LEFT = 64;

/** Records that were taken, one behind the other in a window. */
export interface TakenRecords {
  /** Of the window. */
  readonly bytes: Buffer;
  readonly count: number;
  /** Where each begins in the window, and ends. */
  readonly startOf: (record: number) => number;
  readonly endOf: (record: number) => number;
}

/** Calls `visit` with where each begins and ends. */
export function eachTaken({ count, startOf, endOf }: TakenRecords, visit: (start: number, end: number) => void): void {
  for (let record = 0; record < count; record++) visit(startOf(record), endOf(record));
}

export interface Taker extends Disposable {
  /**
   * Takes records from the cursor on, each of at most so many bytes, with what separates them from the next; the buffer holds their rows until
   * more are taken. Undefined where the first is left.
   */
  take(cursor: Cursor, most: number): TakenRecords | undefined;
}

export interface Taking {
  readonly columns: KeyColumns;
  readonly buffer: RowBuffer;
  /** Of each column; absent while they are being found: a value is then written as its own kind says, and counted. */
  readonly families?: readonly Family[] | undefined;
}

/** Tells the loop what columns there are, and what was seen of them. */
function putColumns(memory: TakerMemory, { columns: { list, tallies }, families }: Taking): void {
  const { loops, at, seen, asJson } = memory;
  const isCounting = families === undefined;
  const [seenAt, asJsonAt] = isCounting ? [at.seen, 0] : [0, at.asJson];
  loops.jsonColumns(list.length, seenAt, at.counts, asJsonAt, at.slots);
  if (isCounting)
    for (let slot = 0; slot < list.length * kinds.length; slot++) seen[slot] = tallies[slot] === 0 ? 0 : 1;
  else for (const [column, family] of families.entries()) asJson[column] = family === 'json' ? 1 : 0;
}

/** Counts what the loop counted. */
function tally({ counts }: TakerMemory, { columns: { list, tallies } }: Taking): void {
  const slots = list.length * kinds.length;
  for (let slot = 0; slot < slots; slot++) {
    const count = counts[slot] as number;
    if (count > 0) tallies[slot] = (tallies[slot] as number) + count;
  }
  counts.fill(0, 0, slots);
}

/** What lies in the memory of the window that the cursor is in. */
function windowPieces(memory: TakerMemory) {
  let piece: Piece | undefined;
  let moves = -1;
  return (cursor: Cursor): Piece => {
    if (piece === undefined || moves !== cursor.moves) piece = pieceOf(memory, cursor.bytes, cursor.end);
    ({ moves } = cursor);
    return piece;
  };
}

type Place = TakenRecords['startOf'];

export function recordTaker(taking: Taking, leads: Leads): Taker {
  const memory = takeMemory();
  const { loops, index, bytes, at } = memory;
  const pieceIn = windowPieces(memory);
  let tables: LeadTables | undefined;
  let version = -1;
  let [left, pause] = [0, 0];

  const takeHere = (cursor: Cursor, most: number): TakenRecords | undefined => {
    if (version !== leads.version()) {
      tables = putLeads(memory, leads.first);
      version = leads.version();
    }
    if (tables === undefined || taking.columns.list.length > MOST_COLUMNS) return undefined;
    tables.refresh();
    putColumns(memory, taking);
    loops.jsonForm(cursor.lines === 'records' ? 1 : 0, Math.min(most, LONGEST));
    const { from, to } = pieceIn(cursor).at(cursor.at);
    const end = loops.jsonRecords(cursor.at - from, to - from);
    const count = loops.jsonTaken();
    if (count === 0) return undefined;
    if (taking.families === undefined) tally(memory, taking);
    const wordOf = (record: number, word: number): number => index[record * INDEX_WORDS + word] as number;
    const rows = { count, endOf: (row: number) => wordOf(row, 2) - at.rows };
    const used = rows.endOf(count - 1);
    taking.buffer.hold(bytes.subarray(at.rows, at.rows + used), rows, loops.jsonLineEnds() !== 0);
    cursor.at = from + end;
    const [startOf, endOf] = [0, 1].map((word) => (record: number) => from + wordOf(record, word)) as [Place, Place];
    return { bytes: cursor.bytes, count, startOf, endOf };
  };
  return {
    take: (cursor, most) => {
      if (left-- > 0) return undefined;
      const taken = takeHere(cursor, most);
      pause = taken === undefined ? Math.min(2 * pause + 1, MOST_LEFT) : 0;
      left = pause;
      return taken;
    },
    [Symbol.dispose]: () => {
      releaseMemory(memory);
    },
  };
}
