// What nobody needs of a dataset any more: snapshots beyond its policy, what jobs left half made, objects that nothing names. Snapshots go in
// two rounds a day apart: first they are gone for callers, then their rows are removed; a rollback that had begun is done by then. Objects go
// by what the manifests that are left name, never by whose they were: rows that were added and rollbacks share parts.
import { isId, type DatasetId, type JobId, type Scope, type TableId } from '../../core/ids.ts';
import { objectKey, type Objects } from '../../core/objects.ts';
import { days, type EpochMs, later } from '../../core/time.ts';
import type { JobStore } from '../../job/ports.ts';
import { isTerminal } from '../../job/status.ts';
import type { Catalog, SnapshotRecord, TableRecord } from '../catalog.ts';
import { readManifest, snapshotRef } from '../manifest.ts';
import type { IngestPolicy } from '../policy.ts';
import { csvKeyOf } from '../rejects/report-file.ts';
import { freedBytes } from '../usage.ts';
import type { TableRow } from '../catalog.ts';
import { allOf } from './rows.ts';

export interface SweepDeps {
  readonly catalog: Catalog;
  readonly objects: Objects;
  readonly jobs: Pick<JobStore, 'get'>;
}

export interface SweepRules {
  /** None are expired where left out. */
  readonly retention: IngestPolicy['retention'];
  readonly dryRun: boolean;
  readonly now: EpochMs;
}

export interface Swept {
  expired: number;
  removed: number;
  partial: number;
  objects: number;
  /** Something is under way, or not old enough. */
  waits: boolean;
}

/** How long what is not needed any more is left alone. */
const GRACE = days(1);
export const isOld = (time: EpochMs, now: EpochMs, grace = GRACE): boolean => later(time, grace) <= now;

interface Place extends Scope {
  readonly dataset: DatasetId;
  readonly table: TableId;
  /** What is published, as it was read before anything else. */
  readonly current: TableRecord['current'];
}

/** Of a table that is there, or that a purge left; one that is deleted is left to its purge. */
export async function sweepTable(
  deps: SweepDeps,
  { tenant, workspace }: Scope,
  dataset: DatasetId,
  row: TableRow,
  rules: SweepRules,
): Promise<Swept> {
  if (row.deletion !== undefined) return { expired: 0, removed: 0, partial: 0, objects: 0, waits: false };
  const place = { tenant, workspace, dataset, table: row.id, current: row.current };
  // Which jobs have ended is asked first: what they published is then among the snapshots that are read.
  const { unused, waits } = await objectsOfEnded(deps, place, rules.now);
  const snapshots = await snapshotsOf(deps, place);
  const expire = beyond(snapshots, place, rules);
  const remove = snapshots.filter(({ expiredAt }) => expiredAt !== undefined && isOld(expiredAt, rules.now));
  const partial = await halfMade(deps, snapshots, rules.now);
  if (rules.dryRun) {
    const gone = new Set([...remove, ...partial]);
    const left = snapshots.filter((each) => !gone.has(each));
    const objects = await unnamed(deps, left, unused);
    const counts = { expired: expire.length, removed: remove.length, partial: partial.length };
    return { ...counts, objects: objects.length, waits };
  }
  const done = {
    expired: await untilMoved(expire, (each) => deps.catalog.expireSnapshot(each, place.current, rules.now)),
    removed: await removeRead(deps, place, snapshots, remove),
    partial: await untilMoved(partial, (each) => deps.catalog.removeSnapshot(each, place.current, 0)),
  };
  // What is left is read again: whatever kept a row from being removed keeps its objects.
  const left = await snapshotsOf(deps, place);
  const objects = await unnamed(deps, left, unused);
  for (const key of objects) await deps.objects.delete(key);
  const soon = left.some(({ status, expiredAt }) => status === 'PARTIAL' || expiredAt !== undefined);
  return { ...done, objects: objects.length, waits: waits || soon };
}

/** How many were done; at the first that has moved the rest is left to the next look. */
async function untilMoved<T>(all: readonly T[], work: (one: T) => Promise<'expired' | 'removed' | 'moved'>) {
  let done = 0;
  for (const one of all) {
    if ((await work(one)) === 'moved') break;
    done += 1;
  }
  return done;
}

/** Snapshots that were whole: what they alone name is counted as stored no more. */
async function removeRead(
  deps: SweepDeps,
  { current }: Place,
  snapshots: readonly SnapshotRecord[],
  remove: readonly SnapshotRecord[],
): Promise<number> {
  if (remove.length === 0) return 0;
  const named = await namedBy(
    deps,
    snapshots.filter((each) => !remove.includes(each)),
  );
  const freed = await freedBytes(deps, remove, named);
  return untilMoved(remove, (each) => deps.catalog.removeSnapshot(each, current, freed.get(each.id) ?? 0));
}

const snapshotsOf = ({ catalog }: SweepDeps, place: Place): Promise<SnapshotRecord[]> =>
  allOf((page) => catalog.listSnapshots(place, place.dataset, place.table, page));

/** Newest first, as they are listed. */
function beyond(snapshots: readonly SnapshotRecord[], { current }: Place, { retention, now }: SweepRules) {
  if (retention?.snapshots === undefined && retention?.days === undefined) return [];
  const { snapshots: most = 0, days: length = 0 } = retention;
  const whole = snapshots.filter(({ status, expiredAt }) => status !== 'PARTIAL' && expiredAt === undefined);
  return whole.filter(
    ({ id, createdAt, publishedAt = createdAt }, place) =>
      id !== current?.snapshot && place >= most && later(publishedAt, days(length)) <= now,
  );
}

async function halfMade(
  deps: SweepDeps,
  snapshots: readonly SnapshotRecord[],
  now: EpochMs,
): Promise<SnapshotRecord[]> {
  const found: SnapshotRecord[] = [];
  for (const each of snapshots)
    if (each.status === 'PARTIAL' && isOld(each.createdAt, now) && (await hasEnded(deps, each, each.job)))
      found.push(each);
  return found;
}

async function hasEnded({ jobs }: SweepDeps, { tenant, workspace }: Scope, id: JobId): Promise<boolean> {
  const row = await jobs.get({ tenant, workspace, id });
  return row === undefined || isTerminal(row.status);
}

export async function* objectsBelow(objects: Objects, prefix: string) {
  let after: string | undefined;
  do {
    const page = await objects.list(prefix, after);
    yield* page.objects;
    after = page.after;
  } while (after !== undefined);
}

/** The objects of the table that are old, and whose job has ended. */
async function objectsOfEnded(deps: SweepDeps, place: Place, now: EpochMs) {
  const { tenant, workspace, dataset, table } = place;
  const prefix = `${objectKey(tenant, workspace, 'datasets', dataset, 'tables', table)}/`;
  const jobOf = (key: string): string => key.slice(prefix.length).split('/')[0] ?? '';
  const old: string[] = [];
  for await (const { key, writtenAt } of objectsBelow(deps.objects, prefix)) if (isOld(writtenAt, now)) old.push(key);
  const ended = new Set<string>();
  const jobs = new Set(old.map(jobOf).filter((job) => isId('job', job)));
  for (const job of jobs) if (await hasEnded(deps, place, job)) ended.add(job);
  return { unused: old.filter((key) => ended.has(jobOf(key))), waits: ended.size < jobs.size };
}

/** Those of `unused` that none of the snapshots names. What a job under way builds on is named by nothing yet: then all stay. */
async function unnamed(deps: SweepDeps, snapshots: readonly SnapshotRecord[], unused: readonly string[]) {
  if (unused.length === 0 || snapshots.some(({ status }) => status === 'PARTIAL')) return [];
  const named = await namedBy(deps, snapshots);
  return unused.filter((key) => !named.has(key));
}

/** The manifests of the snapshots, and what they name. */
async function namedBy(deps: SweepDeps, snapshots: readonly SnapshotRecord[]): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const snapshot of snapshots) {
    if (snapshot.manifest === undefined) continue;
    named.add(snapshot.manifest);
    const { parts, rejects } = await readManifest(deps, snapshotRef(snapshot, snapshot.manifest));
    for (const { key } of parts) named.add(key);
    if (rejects?.key !== undefined) named.add(rejects.key).add(csvKeyOf(rejects.key));
  }
  return named;
}
