// The records of a JSON array or of NDJSON, one after the other, each an object whose members are left as written.
import { cellLimit, explainLarge, TooLarge } from '../formats/cells.ts';
import { parseError } from '../formats/place.ts';
import { eachWindow, type Window, type WindowSource } from '../formats/windows.ts';
import { type Cursor, code, incomplete, JsonProblem, peek, skipSpace } from './grammar.ts';
import { memberReader, type Members, noMembers } from './members.ts';

/** Is called for every record with where it starts in the file; may throw a JsonProblem. */
export type Visit = (bytes: Buffer, members: Members, offset: number) => void;

/** What is awaited. */
export type Phase = 'open' | 'first' | 'element' | 'next' | 'closed' | 'line' | 'line end';

/** Is told of each line that is left out. */
export type LeaveOut = (bytes: Buffer, start: number, end: number, offset: number) => void;

interface Progress {
  /** Of NDJSON: a line that is no record is left out. */
  readonly leaveOut: LeaveOut | undefined;
  phase: Phase;
  records: number;
  readonly members: Members;
  readonly readMembers: ReturnType<typeof memberReader>;
  readonly visit: Visit;
  /** Bytes of a value. */
  readonly largest: number;
}

const KEY_CHARACTERS = 100;

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
  if (peek(cursor) !== code('\n')) throw new JsonProblem(cursor.at, 'text follows the object on its line.');
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

/** One step of the array or of the lines; the phase that follows it. */
function step(cursor: Cursor, progress: Progress, offset: number): Phase {
  skipSpace(cursor);
  switch (progress.phase) {
    case 'open':
      return open(cursor);
    case 'first':
      if (peek(cursor) !== code(']')) return 'element';
      cursor.at++;
      return 'closed';
    case 'element':
      readRecord(cursor, progress, offset);
      return 'next';
    case 'next':
      return separator(cursor);
    case 'closed':
      throw new JsonProblem(cursor.at, 'text follows the end of the array.');
    case 'line':
      if (peek(cursor) === code('\n')) return lineEnd(cursor);
      readRecord(cursor, progress, offset);
      return 'line end';
    case 'line end':
      return lineEnd(cursor);
  }
}

/** Whether nothing but white space is left and nothing is awaited. */
function isDone(cursor: Cursor, phase: Phase): boolean {
  skipSpace(cursor);
  return cursor.at >= cursor.end && (phase === 'closed' || (cursor.last && (phase === 'line' || phase === 'line end')));
}

/** A line that is no record begins at `start`, behind the end of the line before. */
function stepOrLeaveOut(cursor: Cursor, progress: Progress, offset: number, start: number): Phase {
  const { leaveOut } = progress;
  try {
    return step(cursor, progress, offset);
  } catch (thrown) {
    if (leaveOut === undefined || !(thrown instanceof JsonProblem)) throw thrown;
    progress.members.open = -1;
    const end = cursor.bytes.subarray(0, cursor.end).indexOf('\n', start);
    if (end < 0 && !cursor.last) throw incomplete;
    leaveOut(cursor.bytes, start, end < 0 ? cursor.end : end, offset + start);
    cursor.at = end < 0 ? cursor.end : end + 1;
    return 'line';
  }
}

/** A value that is not whole may be too large already. */
function stepIn(cursor: Cursor, progress: Progress, offset: number, start: number): Phase {
  const { members } = progress;
  members.open = -1;
  try {
    return stepOrLeaveOut(cursor, progress, offset, start);
  } catch (thrown) {
    if (thrown === incomplete && members.open >= 0) requireSmall(cursor.bytes, progress, members.open, cursor.end);
    throw thrown;
  }
}

function readWindow(window: Window, cursor: Cursor, progress: Progress): number {
  Object.assign(cursor, { bytes: window.bytes, at: 0, end: window.end, last: window.last });
  let whole = 0;
  try {
    while (!isDone(cursor, progress.phase)) {
      progress.phase = stepIn(cursor, progress, window.offset, whole);
      whole = cursor.at;
    }
    return cursor.at;
  } catch (thrown) {
    if (thrown instanceof JsonProblem) throw new JsonProblem(window.offset + thrown.at, thrown.message);
    if (thrown instanceof TooLarge) throw new TooLarge({ ...thrown.large, at: window.offset + thrown.large.at });
    if (thrown !== incomplete) throw thrown;
    return whole;
  }
}

export type JsonFormat = 'json' | 'ndjson';

/** What is awaited where a file begins. */
export const firstPhase = (format: JsonFormat): Phase => (format === 'json' ? 'open' : 'line');

export interface RecordsRead {
  readonly records: number;
  /** What is awaited behind them. */
  readonly phase: Phase;
  /** Where the first byte stands that was left. */
  readonly end: number;
}

export interface RecordsSource extends WindowSource {
  /** Of NDJSON: lines that are no records are left out. */
  readonly onBadRecord?: 'reject' | undefined;
}

interface Resumed {
  readonly phase?: Phase | undefined;
  readonly leaveOut?: LeaveOut | undefined;
}

/** Calls `visit` for each record. Faults: PARSE_ERROR with the place, LINE_TOO_LONG, ENCODING_INVALID. */
export async function readRecords(
  source: RecordsSource,
  format: JsonFormat,
  visit: Visit,
  { phase = firstPhase(format), leaveOut = () => undefined }: Resumed = {},
): Promise<RecordsRead> {
  const before = source.base?.records ?? 0;
  const leaves = format === 'ndjson' && source.onBadRecord === 'reject' ? leaveOut : undefined;
  const reading = { members: noMembers(), readMembers: memberReader() };
  const progress: Progress = {
    phase,
    records: before,
    ...reading,
    visit,
    leaveOut: leaves,
    largest: cellLimit(source),
  };
  const lines = format === 'json' ? 'space' : 'records';
  const cursor: Cursor = { bytes: Buffer.alloc(0), at: 0, end: 0, last: false, lines };
  try {
    const end = await eachWindow(source, (window) => readWindow(window, cursor, progress));
    return { records: progress.records - before, phase: progress.phase, end };
  } catch (thrown) {
    if (!(thrown instanceof JsonProblem)) throw await explainLarge(source, thrown);
    const { at, message } = thrown;
    throw await parseError(source, at, `${message} ${progress.records} records were read before it.`);
  }
}
