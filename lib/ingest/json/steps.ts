// One record after the other, of a JSON array or of NDJSON: steps over the bytes at hand, each of them whole or not at all.
import { TooLarge } from '../formats/cells.ts';
import { type Cursor, code, incomplete, JsonProblem, peek, skipSpace } from './grammar.ts';
import type { memberReader, Members } from './members.ts';
import type { Taker, TakenRecords } from './taking.ts';

/** Is called for every record with where it starts in the file; may throw a JsonProblem. */
export type Visit = (bytes: Buffer, members: Members, offset: number) => void;

/** Is called for records that were taken, and are not visited, with where their window stands in the file. */
export type Taken = (records: TakenRecords, offset: number) => void;

/** What is awaited. */
export type Phase = 'open' | 'first' | 'element' | 'next' | 'closed' | 'line' | 'line end';

/** Is told of each line that is left out. */
export type LeaveOut = (bytes: Buffer, start: number, end: number, offset: number) => void;

/** How far reading has come. */
export interface Progress {
  /** Of NDJSON: a line that is no record is left out. */
  readonly leaveOut: LeaveOut | undefined;
  phase: Phase;
  records: number;
  /** Behind the last step in the window. */
  whole: number;
  readonly members: Members;
  readonly readMembers: ReturnType<typeof memberReader>;
  readonly visit: Visit;
  readonly taker: Taker | undefined;
  readonly taken: Taken | undefined;
  /** Bytes of a value. */
  readonly largest: number;
}

const KEY_CHARACTERS = 100;
const [LF, COMMA] = [10, 44] as const;

/** Throws where the value of the member at `place` takes more, up to `end`, than it may. */
function requireSmall(bytes: Buffer, { members, largest }: Progress, place: number, end: number): void {
  const at = members.valueStarts[place];
  if (at === undefined || end - at <= largest) return;
  const key = bytes.toString('utf8', members.keyStarts[place], members.keyEnds[place]);
  throw new TooLarge({ at, column: `the key ${key.slice(0, KEY_CHARACTERS)}` });
}

function readRecord(cursor: Cursor, progress: Progress, offset: number): void {
  const start = cursor.at;
  if (peek(cursor) !== code('{')) throw new JsonProblem(cursor.at, `record ${progress.records + 1} is not an object.`);
  const { members } = progress;
  progress.readMembers(cursor, members);
  if (cursor.at - start > progress.largest)
    for (let place = 0; place < members.count; place++)
      requireSmall(cursor.bytes, progress, place, members.valueEnds[place] ?? 0);
  progress.members.start = start;
  progress.members.end = cursor.at;
  // Before anybody has seen the record.
  if (progress.leaveOut !== undefined) requireLineEnd(cursor);
  progress.visit(cursor.bytes, progress.members, offset + start);
  progress.records++;
}

function requireLineEnd(cursor: Cursor): void {
  skipSpace(cursor);
  if (cursor.at >= cursor.end && cursor.last) return;
  if (peek(cursor) !== LF) throw new JsonProblem(cursor.at, 'text follows the object on its line.');
}

function open(cursor: Cursor): Phase {
  const byte = peek(cursor);
  if (byte === code('[')) {
    cursor.at++;
    return 'first';
  }
  const what = byte === code('{') ? 'one object' : 'one value';
  throw new JsonProblem(
    cursor.at,
    `the file is ${what}; a table is an array of objects, or NDJSON (.ndjson) with one on each line.`,
  );
}

function separator(cursor: Cursor): Phase {
  const byte = peek(cursor);
  if (byte !== code(',') && byte !== code(']')) throw new JsonProblem(cursor.at, '"," or "]" is missing here.');
  cursor.at++;
  return byte === code(',') ? 'element' : 'closed';
}

function lineEnd(cursor: Cursor): Phase {
  requireLineEnd(cursor);
  if (cursor.at < cursor.end) cursor.at++;
  return 'line';
}

/** Whether `character` is at hand; passes over it. */
function passes(cursor: Cursor, character: number): boolean {
  if (cursor.at >= cursor.end || cursor.bytes[cursor.at] !== character) return false;
  cursor.at++;
  return true;
}

/** Takes records that are like those before, each with what separates it from the next; whether there were any. */
function takesRecords(cursor: Cursor, progress: Progress, offset: number): boolean {
  const { taker, taken, largest } = progress;
  const records = taker?.take(cursor, largest);
  if (records === undefined) return false;
  taken?.(records, offset);
  progress.records += records.count;
  return true;
}

/** One step of the array or of the lines, behind white space; the phase that follows it. */
function step(cursor: Cursor, progress: Progress, offset: number): Phase {
  switch (progress.phase) {
    case 'line':
      if (peek(cursor) === LF) return lineEnd(cursor);
      if (takesRecords(cursor, progress, offset)) return 'line';
      readRecord(cursor, progress, offset);
      return passes(cursor, LF) ? 'line' : 'line end';
    case 'element':
      if (takesRecords(cursor, progress, offset)) return 'element';
      readRecord(cursor, progress, offset);
      return passes(cursor, COMMA) ? 'element' : 'next';
    case 'next':
      return separator(cursor);
    case 'line end':
      return lineEnd(cursor);
    case 'open':
      return open(cursor);
    case 'first':
      if (peek(cursor) !== code(']')) return 'element';
      cursor.at++;
      return 'closed';
    case 'closed':
      throw new JsonProblem(cursor.at, 'text follows the end of the array.');
  }
}

/** Whether nothing but white space is left and nothing is awaited. */
function isDone(cursor: Cursor, phase: Phase): boolean {
  skipSpace(cursor);
  return cursor.at >= cursor.end && (phase === 'closed' || (cursor.last && (phase === 'line' || phase === 'line end')));
}

/** Steps on as far as there are bytes; throws where a step fails. */
function stepOn(cursor: Cursor, progress: Progress, offset: number): void {
  while (!isDone(cursor, progress.phase)) {
    progress.phase = step(cursor, progress, offset);
    progress.whole = cursor.at;
  }
}

/** Passes over the line that begins behind the last step and is no record; throws where its end is not at hand. */
function leaveLine(cursor: Cursor, progress: Progress, leaveOut: LeaveOut, offset: number): void {
  const start = progress.whole;
  const end = cursor.bytes.subarray(0, cursor.end).indexOf(LF, start);
  if (end < 0 && !cursor.last) throw incomplete;
  leaveOut(cursor.bytes, start, end < 0 ? cursor.end : end, offset + start);
  cursor.at = progress.whole = end < 0 ? cursor.end : end + 1;
  progress.phase = 'line';
}

/** What a step threw: a line that is no record is left out, if lines may be. */
function recover(thrown: unknown, cursor: Cursor, progress: Progress, offset: number): void {
  const { leaveOut, members } = progress;
  const { open: reading } = members;
  members.open = -1;
  // A value that is not whole may be too large already.
  if (thrown === incomplete && reading >= 0) requireSmall(cursor.bytes, progress, reading, cursor.end);
  if (leaveOut === undefined || !(thrown instanceof JsonProblem)) throw thrown;
  leaveLine(cursor, progress, leaveOut, offset);
}

/** Steps on as far as there are bytes, over lines that are left out; throws where a step fails. */
export function stepOver(cursor: Cursor, progress: Progress, offset: number): void {
  for (;;)
    try {
      stepOn(cursor, progress, offset);
      return;
    } catch (thrown) {
      recover(thrown, cursor, progress, offset);
    }
}
