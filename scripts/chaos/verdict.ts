// What must be true when the dust has settled, read from the rows and their numbered events.
import { setTimeout as pause } from 'node:timers/promises';
import { eachOf } from '../../lib/core/each-of.ts';
import type { Scope } from '../../lib/core/ids.ts';
import type { JobEvent, JobStore } from '../../lib/job/ports.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { isTerminal } from '../../lib/job/status.ts';
import type { Timeline } from './bounds.ts';
import type { Submitted } from './load.ts';

export interface Verdict {
  readonly jobs: number;
  readonly lost: readonly string[];
  readonly settledTwice: readonly string[];
  /** Not the end that was expected, and no crash budget used up. */
  readonly wrongEnd: readonly string[];
  /** Jobs whose worker was killed as often as their budget allows. */
  readonly buried: number;
  readonly timelines: readonly Timeline[];
  readonly byStatus: Readonly<Record<string, number>>;
}

/** As many as the SDK has sockets. */
const READS_AT_ONCE = 50;

type Reader = Pick<JobStore, 'list' | 'events'>;

export async function allJobs(store: Reader, scope: Scope): Promise<JobRow[]> {
  const rows: JobRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(scope, {}, { limit: 100, cursor });
    rows.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return rows;
}

/** Waits until all jobs but `leaving` have ended; answers the rows, ended or not, once `patienceMs` is over. */
export async function untilEnded(
  store: Reader,
  scope: Scope,
  patienceMs: number,
  tell: (open: number) => void,
  leaving = 0,
): Promise<readonly JobRow[]> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const rows = await allJobs(store, scope).catch(() => []);
    const open = rows.filter(({ status }) => !isTerminal(status)).length;
    if (rows.length > 0) tell(open);
    if ((rows.length > 0 && open <= leaving) || performance.now() > until) return rows;
    await pause(3000);
  }
}

async function timeline(store: Reader, row: JobRow): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.events(row, { limit: 100, cursor });
    events.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return events;
}

/** How often a job passed from a status that is not terminal to one that is. */
const ends = (events: readonly JobEvent[]): number =>
  events.filter((event, at) => isTerminal(event.status) && !isTerminal(events[at - 1]?.status ?? 'queued')).length;

export async function judge(store: Reader, rows: readonly JobRow[], submitted: readonly Submitted[]): Promise<Verdict> {
  const byId = new Map(rows.map((row) => [row.id as string, row]));
  const lost = submitted.filter(({ id }) => {
    const row = byId.get(id);
    return row === undefined || !isTerminal(row.status);
  });
  const next = eachOf(READS_AT_ONCE);
  const told = await Promise.all(rows.map((row) => next(async () => ({ row, events: await timeline(store, row) }))));
  const isBuried = ({ error }: JobRow) => error?.code === 'CRASHED';
  const wrong = submitted.filter(({ id, ends: wanted }) => {
    const row = byId.get(id);
    return row !== undefined && isTerminal(row.status) && row.status !== wanted && !isBuried(row);
  });
  const byStatus: Record<string, number> = {};
  for (const { status } of rows) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return {
    jobs: rows.length,
    lost: lost.map(({ id }) => id),
    settledTwice: told.filter(({ events }) => ends(events) > 1).map(({ row }) => row.id),
    wrongEnd: wrong.map(({ id }) => `${id} ${byId.get(id)?.status} ${byId.get(id)?.error?.code ?? ''}`.trim()),
    buried: rows.filter(isBuried).length,
    timelines: told.map(({ events }) => events),
    byStatus,
  };
}

/** The lines of the report, and whether every law was kept. */
export function report(verdict: Verdict): { readonly lines: readonly string[]; readonly kept: boolean } {
  const { lost, settledTwice, wrongEnd } = verdict;
  const named = (ids: readonly string[]) => (ids.length === 0 ? '' : `: ${ids.slice(0, 10).join(', ')}`);
  const statuses = Object.entries(verdict.byStatus).map(([status, count]) => `${count} ${status}`);
  return {
    kept: lost.length + settledTwice.length + wrongEnd.length === 0,
    lines: [
      `${verdict.jobs} jobs: ${statuses.join(', ')}`,
      `${lost.length} lost${named(lost)}`,
      `${settledTwice.length} settled twice${named(settledTwice)}`,
      `${wrongEnd.length} ended otherwise than they must${named(wrongEnd)}`,
      `${verdict.buried} buried, for their worker was killed as often as the budget allows`,
    ],
  };
}
