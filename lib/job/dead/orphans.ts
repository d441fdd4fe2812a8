// Work that somebody should have looked at by now: past due for longer than a sweep takes to come round. Each kind of loss has who repairs
// it. In a healthy deployment there is none.
import type { Scope } from '../../core/ids.ts';
import { type DurationMs, type EpochMs, earlier, later, seconds } from '../../core/time.ts';
import { type DueEntry, DUE_SHARDS, type JobStore, type UnreadableRow } from '../ports.ts';
import { readEach } from '../readable.ts';
import type { JobRow } from '../row.ts';
import { isTerminal } from '../status.ts';

/** What was lost → what repairs it. */
export const orphanClasses = {
  'lost-doorbell': 'The sweep rings again where the lane is empty, or 10 minutes after the last ring.',
  'lost-lease': 'The sweep reaps it: it is queued again at the cost of a crash, or buried where it has none left.',
  'lost-retry': 'The sweep rings for the attempt whose time has come.',
  'lost-unpark': 'The sweep looks again at what it waits for, and queues it where that is over.',
  'execution-gone': 'The sweep asks whether its execution runs, and reaps it where it does not.',
  'unheard-cancel': 'The sweep cancels it, since the lease of whoever should have heard has lapsed.',
  'owed-job': 'The sweep makes the job that it owes.',
  'gone-workspace': 'The sweep ends it, since its workspace is gone.',
} as const satisfies Record<string, string>;
export type OrphanClass = keyof typeof orphanClasses;

export interface Orphan {
  readonly class: OrphanClass;
  readonly row: JobRow;
  /** When it fell due. */
  readonly since: EpochMs;
  /** When the next sweep looks at it, unless sweeps do not run or are behind. */
  readonly next: EpochMs;
}

/** How often the reaper comes round. */
const SWEEP_EVERY = seconds(60);
/** Pages of a shard that one look reads, and the jobs of a workspace that it reads. */
const MOST_PAGES = 5;
const MOST_JOBS = 200;

/** What was lost; undefined for a row that is not past due for so long, or whose holder lives. Pure. */
export function orphanOf(
  row: JobRow,
  now: EpochMs,
  gone: boolean,
  after: DurationMs = SWEEP_EVERY,
): Orphan | undefined {
  const { dueAt } = row;
  if (dueAt === undefined || dueAt > earlier(now, after)) return undefined;
  const found = gone && !isTerminal(row.status) ? 'gone-workspace' : classOf(row, now);
  return found && { class: found, row, since: dueAt, next: later(now, SWEEP_EVERY) };
}

function classOf(row: JobRow, now: EpochMs): OrphanClass | undefined {
  switch (row.status) {
    case 'queued':
      return row.rule === 'retry' || row.rule === 'snooze' ? 'lost-retry' : 'lost-doorbell';
    case 'parked':
      return 'lost-unpark';
    case 'running':
      if ((row.leaseUntil ?? 0) > now) return undefined;
      if (row.cancelRequested !== undefined) return 'unheard-cancel';
      return row.heldBy === 'execution' ? 'execution-gone' : 'lost-lease';
    default:
      return row.owes === undefined ? undefined : 'owed-job';
  }
}

export interface OrphanLook {
  readonly orphans: readonly Orphan[];
  /** Past due, and nobody can say of which class. */
  readonly unreadable: readonly UnreadableRow[];
  /** False where more was past due than one look reads. */
  readonly complete: boolean;
}

/** The orphans of a workspace, those past due the longest first. Throws StoreUnavailable. */
export async function findOrphans(
  store: Pick<JobStore, 'due' | 'get'>,
  scope: Scope,
  now: EpochMs,
  isGone: boolean,
): Promise<OrphanLook> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => overdue(store, shard, earlier(now, SWEEP_EVERY)));
  const read = await Promise.all(shards);
  const ours = read
    .flatMap(({ entries }) => entries)
    .filter(({ ref }) => ref.tenant === scope.tenant && ref.workspace === scope.workspace)
    .sort((a, b) => a.dueAt - b.dueAt);
  const { rows, unreadable } = await readEach(
    store,
    ours.slice(0, MOST_JOBS).map(({ ref }) => ref),
  );
  const orphans = rows.flatMap((row) => orphanOf(row, now, isGone) ?? []);
  return { orphans, unreadable, complete: ours.length <= MOST_JOBS && read.every(({ complete }) => complete) };
}

async function overdue(
  store: Pick<JobStore, 'due'>,
  shard: number,
  before: EpochMs,
): Promise<{ readonly entries: readonly DueEntry[]; readonly complete: boolean }> {
  const entries: DueEntry[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await store.due(shard, before, after);
    entries.push(...page.entries);
    after = page.after;
    if (after === undefined) return { entries, complete: true };
  }
  return { entries, complete: false };
}
