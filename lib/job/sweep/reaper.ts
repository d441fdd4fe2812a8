// The sweep repairs: it reads what is past due, oldest first, all shards side by side, and gives each row the one write that fits.
// Many sweeps at once are safe, since every lapse is tested inside the write; one row that fails never stops the others. What follows the
// first page of a shard goes to a sweep of its own, where there is one to be had.
import { allDone } from '../../core/all-done.ts';
import { asError } from '../../core/check.ts';
import type { Scope } from '../../core/ids.ts';
import { type DurationMs, type EpochMs, between, millis } from '../../core/time.ts';
import { DUE_SHARDS, type DueEntry, type DuePage, type DueSide } from '../ports.ts';
import { type SweepEngine, type SweepStep, sweepRow } from './sweep-row.ts';
import { pacedExecutions, patientRinger } from './sweep-pace.ts';
import { removeSide, restSide, type SideStep, sweepSide } from './sweep-side.ts';
import { entombJob, stopJob } from '../dead/vanished.ts';
import { endingWorkspaces, isRestorable, readWorkspaceEnd, type WorkspaceEnd } from '../dead/workspaces.ts';
import { isTerminal } from '../status.ts';

/** What is left of a shard behind a page of it. */
export interface ShardRest {
  readonly shard: number;
  /** Where the page ended; the store's own. */
  readonly after: string;
}
/** Has another process sweep it. What it throws leaves the rest with the sweep that asked. */
export type HandOn = (rest: ShardRest) => Promise<void>;

export interface SweepOptions {
  /** Default: all of them, each from its oldest row. */
  readonly shards?: readonly number[] | undefined;
  /** Only this is swept, and no whole shard. */
  readonly rest?: ShardRest | undefined;
  /** Where left out, this sweep goes through every page itself. */
  readonly handOn?: HandOn | undefined;
  /** No page and no row is begun after this; what is left waits for the next sweep. */
  readonly deadline?: EpochMs | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Step = SweepStep | SideStep;

export interface SweepReport {
  /** Rows looked at. */
  readonly rows: number;
  /** How many rows each step was taken for. */
  readonly steps: Readonly<Partial<Record<Step, number>>>;
  /** Rows whose step threw; they stay due. */
  readonly failed: number;
  /** Shards that could not be read, or not to their end. */
  readonly unfinished: readonly number[];
  /** Shards of which this sweep did the first page, and another one does the rest. */
  readonly handedOn: readonly number[];
  /** How long the oldest row had been due; 0 when none was. */
  readonly oldestDue: DurationMs;
}

interface Tally {
  rows: number;
  failed: number;
  oldestDue: number;
  readonly steps: Partial<Record<Step, number>>;
  readonly unfinished: number[];
  readonly handedOn: number[];
}

const allShards = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);

/** One sweep of the due index. Never throws for a store that does not answer: the report says what was left. */
export async function sweep(engine: SweepEngine, options: SweepOptions = {}): Promise<SweepReport> {
  const tally: Tally = { rows: 0, failed: 0, oldestDue: 0, steps: {}, unfinished: [], handedOn: [] };
  let ends: ReturnType<typeof endingWorkspaces> | undefined;
  const paced = {
    ...engine,
    endOf: async (scope: Scope) => {
      const listed = (await (ends ??= endsOrNone(engine)))(scope);
      // It may have been restored since the list was read.
      return listed && readWorkspaceEnd(engine.store, scope);
    },
    ringer: patientRinger(engine.ringer),
    executions: pacedExecutions(engine.executions, engine.clock, () => shareOf(options, tally)),
  };
  const shards = options.rest === undefined ? (options.shards ?? allShards) : [options.rest.shard];
  await allDone(shards.map((shard) => sweepShard(paced, shard, options, tally)));
  const [unfinished, handedOn] = [inOrder(tally.unfinished), inOrder(tally.handedOn)];
  return { ...tally, oldestDue: millis(tally.oldestDue), unfinished, handedOn };
}

const inOrder = (shards: readonly number[]): number[] => shards.toSorted((a, b) => a - b);

/** Of the probes that all sweeps of a minute may make together: half is for the rests, as soon as there are any. */
function shareOf({ rest }: SweepOptions, { handedOn }: Tally): number {
  if (rest !== undefined) return 1 / (2 * DUE_SHARDS);
  return handedOn.length > 0 ? 1 / 2 : 1;
}

/** Where the store does not answer, none is taken as deleted: the next sweep asks again. */
const endsOrNone = ({ store, log }: SweepEngine): ReturnType<typeof endingWorkspaces> =>
  endingWorkspaces(store).catch((thrown: unknown) => {
    log.warn('The workspaces that are deleted could not be read.', { error: asError(thrown).message });
    return () => undefined;
  });

/** How a workspace ends: those that do are read once a sweep, and only where something is due. */
type Sweeper = SweepEngine & { readonly endOf: (scope: Scope) => Promise<WorkspaceEnd | undefined> };

async function sweepShard(engine: Sweeper, shard: number, options: SweepOptions, tally: Tally): Promise<void> {
  try {
    if (!(await sweepPages(engine, shard, options, tally))) tally.unfinished.push(shard);
  } catch (thrown) {
    engine.log.warn('A shard could not be read.', { shard, error: asError(thrown).message });
    tally.unfinished.push(shard);
  }
}

/** False when time ran out before the shard's end. */
async function sweepPages(engine: Sweeper, shard: number, options: SweepOptions, tally: Tally): Promise<boolean> {
  let after = options.rest?.after;
  do {
    if (isOver(engine, options)) return false;
    const page = await engine.store.due(shard, engine.clock.now(), after);
    after = page.after;
    // Before the page itself is gone through, so that both are at the same time.
    if (after !== undefined && (await handsOn(engine, { shard, after }, options, tally))) after = undefined;
    if (!(await sweepPage(engine, page, options, tally))) return false;
  } while (after !== undefined);
  return true;
}

async function handsOn(engine: Sweeper, rest: ShardRest, { handOn }: SweepOptions, tally: Tally): Promise<boolean> {
  if (handOn === undefined) return false;
  try {
    await handOn(rest);
    tally.handedOn.push(rest.shard);
    return true;
  } catch (thrown) {
    engine.log.warn('The rest of a shard was not handed on.', { shard: rest.shard, error: asError(thrown).message });
    return false;
  }
}

/** False when time ran out before the page's end. */
async function sweepPage(engine: Sweeper, page: DuePage, options: SweepOptions, tally: Tally): Promise<boolean> {
  for (const due of [...page.entries, ...page.sides]) {
    if (isOver(engine, options)) return false;
    tally.oldestDue = Math.max(tally.oldestDue, between(due.dueAt, page.storeNow));
    tally.rows += 1;
    const step = await safely(engine, due, page.storeNow);
    if (step === undefined) tally.failed += 1;
    else tally.steps[step] = (tally.steps[step] ?? 0) + 1;
  }
  return true;
}

async function safely(engine: Sweeper, due: DueEntry | DueSide, now: EpochMs): Promise<Step | undefined> {
  try {
    return 'side' in due ? await repairSide(engine, due, now) : await repairJob(engine, due, now);
  } catch (thrown) {
    const what = 'side' in due ? { side: due.side.name } : { jobId: due.ref.id };
    engine.log.error('A due row could not be repaired.', { ...what, error: asError(thrown).message });
    return undefined;
  }
}

async function repairJob(engine: Sweeper, entry: DueEntry, now: EpochMs): Promise<SweepStep> {
  const end = await engine.endOf(entry.ref);
  if (end === undefined) return sweepRow(engine, entry, now);
  if (!isRestorable(end)) return (await entombJob(engine, entry.ref, now)) === undefined ? 'moved' : 'entomb';
  const stopped = await stopJob(engine, entry.ref);
  // One that was told to stop and whose holder is gone ends here; one that has ended may owe something.
  return stopped !== undefined && isTerminal(stopped.status) ? 'cancelled' : sweepRow(engine, entry, now);
}

async function repairSide(engine: Sweeper, due: DueSide, now: EpochMs): Promise<SideStep> {
  const end = await engine.endOf(due.side);
  if (end === undefined) return sweepSide(engine, due, now);
  return isRestorable(end) ? restSide(engine, due, now) : removeSide(engine, due);
}

const isOver = ({ clock }: SweepEngine, { deadline, signal }: SweepOptions): boolean =>
  signal?.aborted === true || (deadline !== undefined && clock.now() >= deadline);
