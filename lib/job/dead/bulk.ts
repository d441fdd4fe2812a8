// The same done to many jobs: those of a filter are redriven, discarded or cancelled, a page at a time. What has moved on meanwhile is
// skipped, so that a page that is done twice does nothing twice.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { JobId, Scope } from '../../core/ids.ts';
import { type EpochMs, later, millis } from '../../core/time.ts';
import { cancelJob } from '../run/cancel.ts';
import { groupMembers } from './dead-groups.ts';
import type { JobStore, Page, PageRequest } from '../ports.ts';
import { readEach } from '../readable.ts';
import { discardJob, type RedriveEngine, redriveJob } from './redrive.ts';
import { type JobRow, refOf } from '../row.ts';
import { isTerminal } from '../status.ts';

export const bulkActions = ['redrive', 'discard', 'cancel'] as const;
export type BulkAction = (typeof bulkActions)[number];

/** An empty filter lets every job through. Times are epoch ms: of the end for a redrive or a discard, of the submit for a cancel. */
export const bulkFilterSchema = z.lazy(() => {
  const text = z.string().min(1).max(200);
  return z.strictObject({
    fingerprint: text.optional(),
    kind: text.optional(),
    code: text.optional(),
    /** In which the last attempt failed. */
    stage: text.optional(),
    flow: text.optional(),
    since: z.number().optional(),
    until: z.number().optional(),
    ids: z.array(z.string()).max(100).optional(),
  });
});
export type BulkFilter = z.output<typeof bulkFilterSchema>;

export interface BulkOrder {
  readonly scope: Scope;
  readonly action: BulkAction;
  readonly filter: BulkFilter;
  /** Redriven jobs start one after another, so many a second, from `startAt` on; at once where left out. */
  readonly ratePerSecond?: number | undefined;
  readonly startAt: EpochMs;
  readonly reason?: string | undefined;
}

/** What has become of one job. */
export type BulkEnd =
  | { readonly kind: 'done'; readonly id: JobId }
  | { readonly kind: 'skipped'; readonly id: JobId; readonly code: string; readonly detail: string };

const SIDE_BY_SIDE = 10;

/** A page of jobs to which the order applies as they are now; it may be short, or empty with a cursor. Throws StoreUnavailable. */
export async function bulkPage(store: JobStore, order: BulkOrder, page: PageRequest): Promise<Page<JobRow>> {
  const { items, cursor } = await candidates(store, order, page);
  return { items: items.filter((row) => applies(order, row)), ...(cursor !== undefined && { cursor }) };
}

async function candidates(
  store: JobStore,
  { scope, action, filter }: BulkOrder,
  page: PageRequest,
): Promise<Page<JobRow>> {
  const { ids, fingerprint, kind, flow } = filter;
  if (ids !== undefined) return { items: await rowsOf(store, scope, ids) };
  if (action === 'cancel') return store.list(scope, { kind, flow }, page);
  if (fingerprint === undefined) return store.deadJobs(scope, page);
  const { items, cursor } = await groupMembers(store, scope, fingerprint, page);
  const rows = await rowsOf(
    store,
    scope,
    items.map(({ id }) => id),
  );
  return { items: rows, ...(cursor !== undefined && { cursor }) };
}

async function rowsOf(store: JobStore, scope: Scope, ids: readonly string[]): Promise<JobRow[]> {
  const refs = [...new Set(ids)].map((id) => ({ ...scope, id: id as unknown as JobId }));
  return (await readEach(store, refs)).rows;
}

/** Whether the job is in a state that the action leaves, and the filter lets it through. */
function applies({ action, filter }: BulkOrder, row: JobRow): boolean {
  const { fingerprint, kind, code, stage, flow, since = 0, until = Infinity, ids } = filter;
  const at = action === 'cancel' ? row.createdAt : (row.finishedAt ?? 0);
  const same = [
    [fingerprint, row.error?.fingerprint],
    [kind, row.kind],
    [code, row.error?.code],
    [stage, row.error?.stage],
    [flow, row.flow],
  ].every(([wanted, found]) => wanted === undefined || wanted === found);
  return same && at >= since && at < until && isOpenTo(action, row, ids !== undefined);
}

/** A cancelled job is redriven only where it is named: nobody finds it among the failures. */
function isOpenTo(action: BulkAction, row: JobRow, named: boolean): boolean {
  if (row.tombstone === true || (row.internal === true && !named)) return false;
  if (action === 'cancel') return !isTerminal(row.status) && row.cancelRequested === undefined;
  const failed = row.status === 'failed' || row.status === 'dead';
  return (failed && (named || row.discarded !== true)) || (action === 'redrive' && named && row.status === 'cancelled');
}

/** Does it to each; `before` is how many were done before these. Throws StoreUnavailable. */
export async function bulkApply(
  engine: RedriveEngine,
  order: BulkOrder,
  rows: readonly JobRow[],
  before = 0,
): Promise<BulkEnd[]> {
  const ends: BulkEnd[] = [];
  for (let start = 0; start < rows.length; start += SIDE_BY_SIDE) {
    const some = rows.slice(start, start + SIDE_BY_SIDE);
    ends.push(...(await Promise.all(some.map((row, index) => one(engine, order, row, before + start + index)))));
  }
  return ends;
}

async function one(engine: RedriveEngine, order: BulkOrder, row: JobRow, place: number): Promise<BulkEnd> {
  const { id } = row;
  try {
    await act(engine, order, row, place);
    return { kind: 'done', id };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { kind: 'skipped', id, code: thrown.code, detail: thrown.detail };
  }
}

function act(engine: RedriveEngine, { action, ratePerSecond, startAt, reason }: BulkOrder, row: JobRow, place: number) {
  if (action === 'discard') return discardJob(engine, refOf(row));
  if (action === 'cancel') return cancelJob(engine, refOf(row), reason ?? 'cancelled with many others');
  const turn =
    ratePerSecond === undefined ? undefined : later(startAt, millis(Math.floor((place * 1000) / ratePerSecond)));
  const notBefore = turn !== undefined && turn > engine.clock.now() ? turn : undefined;
  return redriveJob(engine, refOf(row), { notBefore, reason });
}
