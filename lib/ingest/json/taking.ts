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

export interface Taker extends Disposable {
  /**
   * Takes records from the cursor on, each of at most so many bytes, with what separates them from the next, and writes their rows; `each` is
   * told where each begins and ends in the window, and may end its row. Answers how many.
   */
  take(cursor: Cursor, most: number, each: (start: number, end: number) => void): number;
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

export function recordTaker(taking: Taking, leads: Leads): Taker {
  const memory = takeMemory();
  const { loops, index, bytes, at } = memory;
  const pieceIn = windowPieces(memory);
  let tables: LeadTables | undefined;
  let version = -1;
  let [left, pause] = [0, 0];

  const takeHere = (cursor: Cursor, most: number, each: (start: number, end: number) => void): number => {
    if (version !== leads.version()) {
      tables = putLeads(memory, leads.first);
      version = leads.version();
    }
    if (tables === undefined || taking.columns.list.length > MOST_COLUMNS) return 0;
    tables.refresh();
    putColumns(memory, taking);
    loops.jsonForm(cursor.lines === 'records' ? 1 : 0, Math.min(most, LONGEST));
    const { from, to } = pieceIn(cursor).at(cursor.at);
    const end = loops.jsonRecords(cursor.at - from, to - from);
    const count = loops.jsonTaken();
    if (count === 0) return 0;
    if (taking.families === undefined) tally(memory, taking);
    const rows = { count, endOf: (row: number) => (index[row * INDEX_WORDS + 2] as number) - at.rows };
    const used = rows.endOf(count - 1);
    taking.buffer.hold(bytes.subarray(at.rows, at.rows + used), rows, loops.jsonLineEnds() !== 0);
    for (let record = 0; record < count * INDEX_WORDS; record += INDEX_WORDS)
      each(from + (index[record] as number), from + (index[record + 1] as number));
    cursor.at = from + end;
    return count;
  };
  return {
    take: (cursor, most, each) => {
      if (left-- > 0) return 0;
      const count = takeHere(cursor, most, each);
      pause = count > 0 ? 0 : Math.min(2 * pause + 1, MOST_LEFT);
      left = pause;
      return count;
    },
    [Symbol.dispose]: () => {
      releaseMemory(memory);
    },
  };
}
