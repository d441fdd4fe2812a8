// The records of a JSON array or of NDJSON, one after the other, each an object whose members are left as written.
import { cellLimit, explainLarge, TooLarge } from '../formats/cells.ts';
import { parseError } from '../formats/place.ts';
import { eachWindow, type Window, type WindowSource } from '../formats/windows.ts';
import { type Cursor, incomplete, JsonProblem, moveTo, newCursor } from './grammar.ts';
import { type Leads, leadReader } from './leads.ts';
import { memberReader, noMembers } from './members.ts';
import { type LeaveOut, type Phase, type Progress, stepOver, type Taken, type Visit } from './steps.ts';
import type { Taker } from './taking.ts';

export type { LeaveOut, Phase, Taken, Visit } from './steps.ts';

function readWindow(window: Window, cursor: Cursor, progress: Progress): number {
  moveTo(cursor, window);
  progress.whole = 0;
  try {
    stepOver(cursor, progress, window.offset);
    return cursor.at;
  } catch (thrown) {
    if (thrown instanceof JsonProblem) throw new JsonProblem(window.offset + thrown.at, thrown.message);
    if (thrown instanceof TooLarge) throw new TooLarge({ ...thrown.large, at: window.offset + thrown.large.at });
    if (thrown !== incomplete) throw thrown;
    return progress.whole;
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
  /** Takes records that are like those before it, before they are read for `visit`. */
  readonly taking?: ((leads: Leads) => Taker) | undefined;
  readonly taken?: Taken | undefined;
}

/** Calls `visit` for each record. Faults: PARSE_ERROR with the place, LINE_TOO_LONG, ENCODING_INVALID. */
export async function readRecords(
  source: RecordsSource,
  format: JsonFormat,
  visit: Visit,
  { phase = firstPhase(format), leaveOut = () => undefined, taking, taken }: Resumed = {},
): Promise<RecordsRead> {
  const before = source.base?.records ?? 0;
  const leaves = format === 'ndjson' && source.onBadRecord === 'reject' ? leaveOut : undefined;
  const leads = leadReader();
  using taker = taking?.(leads);
  const reading = { members: noMembers(), readMembers: memberReader(leads) };
  const progress: Progress = {
    phase,
    ...{ records: before, whole: 0 },
    ...reading,
    ...{ visit, taker, taken },
    leaveOut: leaves,
    largest: cellLimit(source),
  };
  const lines = format === 'json' ? 'space' : 'records';
  const cursor = newCursor(lines);
  try {
    const end = await eachWindow(source, (window) => readWindow(window, cursor, progress));
    return { records: progress.records - before, phase: progress.phase, end };
  } catch (thrown) {
    if (!(thrown instanceof JsonProblem)) throw await explainLarge(source, thrown);
    const { at, message } = thrown;
    throw await parseError(source, at, `${message} ${progress.records} records were read before it.`);
  }
}
