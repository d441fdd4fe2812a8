// What a dataset keeps of its tables. Snapshots beyond its policy, and those that jobs left half made, go in two rounds a day apart: first
// they are gone for callers, then their rows are removed; a rollback that had begun is done by then. Objects go by what the manifests that
// are left name, never by whose they were: rows that were added and rollbacks share parts.
import * as z from 'zod';
import { must } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import { isId, type DatasetId, type JobId, type Scope } from '../core/ids.ts';
import { objectKey } from '../core/objects.ts';
import { days, type EpochMs, later } from '../core/time.ts';
import { isTerminal } from '../job/status.ts';
import { type Pipeline, pipeline } from '../pipeline/definition.ts';
import { defineStage } from '../pipeline/stage.ts';
import type { SnapshotRecord, TableRecord } from './catalog.ts';
import { readManifest } from './manifest.ts';
import type { IngestDeps } from './pipeline.ts';
import { type IngestPolicy, policyOf } from './policy.ts';
import { csvKeyOf } from './rejects/report-file.ts';
import { idOf } from './stages/outputs.ts';
import { freedBytes } from './usage.ts';

const retentionInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    /** Counts, and changes nothing. */
    dryRun: z.boolean().optional(),
  }),
);

const resultSchema = z.lazy(() =>
  z.strictObject({
    dryRun: z.boolean(),
    tables: z.int(),
    /** Beyond the policy: gone for callers from now on. */
    expired: z.int(),
    /** Expired a day ago: their rows were removed. */
    removed: z.int(),
    /** Half made by jobs that have ended. */
    partial: z.int(),
    /** Objects that no snapshot names. */
    objects: z.int(),
  }),
);
export type RetentionResult = z.infer<typeof resultSchema>;

type Deps = Pick<IngestDeps, 'catalog' | 'objects' | 'jobs'>;
/** How long what is not needed any more is left alone. */
const GRACE = days(1);

/** Faults: NOT_FOUND, where the dataset is gone. Nothing of `deps` is touched before a stage runs. */
export const createRetention = (deps: Deps): Pipeline<RetentionResult> =>
  pipeline('retention', { input: retentionInput, version: '1' }).stage(
    defineStage({
      name: 'sweep',
      output: resultSchema,
      run: async (ctx, { dataset, dryRun = false }: z.infer<typeof retentionInput>) => {
        const owner = await deps.catalog.getDataset(ctx.ref, dataset);
        if (owner === undefined) throw new Fault('NOT_FOUND', `There is no dataset ${dataset} in this workspace.`);
        const { retention } = policyOf(owner.policy);
        const total = { dryRun, tables: 0, expired: 0, removed: 0, partial: 0, objects: 0 };
        for await (const table of tablesOf(deps, ctx.ref, dataset)) {
          ctx.signal.throwIfAborted();
          const swept = await sweepTable(deps, table, { retention, dryRun, now: ctx.clock.now() });
          total.tables += 1;
          for (const [count, value] of Object.entries(swept)) total[count as keyof Swept] += value;
          ctx.progress(total.tables, 0, 'tables');
        }
        return total;
      },
    }),
  );

type Swept = Record<'expired' | 'removed' | 'partial' | 'objects', number>;
interface Rules {
  readonly retention: IngestPolicy['retention'];
  readonly dryRun: boolean;
  readonly now: EpochMs;
}

async function* tablesOf({ catalog }: Deps, scope: Scope, dataset: DatasetId): AsyncGenerator<TableRecord> {
  let cursor: string | undefined;
  do {
    const page = await catalog.listTables(scope, dataset, { limit: 100, cursor });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function sweepTable(deps: Deps, table: TableRecord, rules: Rules): Promise<Swept> {
  // Which jobs have ended is asked first: what they published is then among the snapshots that are read.
  const unused = await objectsOfEnded(deps, table, rules.now);
  const snapshots = await snapshotsOf(deps, table);
  const expire = beyond(snapshots, table, rules);
  const remove = snapshots.filter(({ expiredAt }) => expiredAt !== undefined && isOld(expiredAt, rules.now));
  const partial = await halfMade(deps, snapshots, rules.now);
  const gone = new Set([...remove, ...partial].map(({ id }) => id));
  const named = await namedBy(
    deps,
    snapshots.filter(({ id }) => !gone.has(id)),
  );
  // What a job under way builds on is named by nothing yet.
  const busy = snapshots.some(({ id, status }) => status === 'PARTIAL' && !gone.has(id));
  const objects = busy ? [] : unused.filter((key) => !named.has(key));
  if (!rules.dryRun) {
    for (const each of expire) await deps.catalog.expireSnapshot(each, rules.now);
    const freed = await freedBytes(deps.objects, remove, named);
    for (const each of [...remove, ...partial]) await deps.catalog.removeSnapshot(each, freed.get(each.id) ?? 0);
    for (const key of objects) await deps.objects.delete(key);
  }
  return { expired: expire.length, removed: remove.length, partial: partial.length, objects: objects.length };
}

const isOld = (time: EpochMs, now: EpochMs): boolean => later(time, GRACE) <= now;

async function snapshotsOf({ catalog }: Deps, table: TableRecord): Promise<SnapshotRecord[]> {
  const found: SnapshotRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await catalog.listSnapshots(table, table.dataset, table.id, { limit: 100, cursor });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

/** Newest first, as they are listed. */
function beyond(snapshots: readonly SnapshotRecord[], { current }: TableRecord, { retention, now }: Rules) {
  if (retention?.snapshots === undefined && retention?.days === undefined) return [];
  const { snapshots: most = 0, days: length = 0 } = retention;
  const whole = snapshots.filter(({ status, expiredAt }) => status !== 'PARTIAL' && expiredAt === undefined);
  return whole.filter(
    ({ id, createdAt, publishedAt = createdAt }, place) =>
      id !== current?.snapshot && place >= most && later(publishedAt, days(length)) <= now,
  );
}

async function halfMade(deps: Deps, snapshots: readonly SnapshotRecord[], now: EpochMs): Promise<SnapshotRecord[]> {
  const found: SnapshotRecord[] = [];
  for (const each of snapshots)
    if (each.status === 'PARTIAL' && isOld(each.createdAt, now) && (await hasEnded(deps, each, each.job)))
      found.push(each);
  return found;
}

async function hasEnded({ jobs }: Deps, { tenant, workspace }: Scope, id: JobId): Promise<boolean> {
  const row = await must(jobs, 'the jobs').get({ tenant, workspace, id });
  return row === undefined || isTerminal(row.status);
}

/** What a snapshot is made of; whatever else lies there is not ours to judge. */
const PIECE = /\/(manifest[^/]*\.json|[^/]*\.parquet(\.rejects\.json)?|rejects[^/]*\.(ndjson|csv))$/;

/** The objects of the table that are old, and whose job has ended. */
async function objectsOfEnded(deps: Deps, table: TableRecord, now: EpochMs): Promise<string[]> {
  const prefix = `${objectKey(table.tenant, table.workspace, 'datasets', table.dataset, 'tables', table.id)}/`;
  const jobOf = (key: string): string => key.slice(prefix.length).split('/')[0] ?? '';
  const old: string[] = [];
  let after: string | undefined;
  do {
    const page = await deps.objects.list(prefix, after);
    old.push(
      ...page.objects.filter(({ key, writtenAt }) => PIECE.test(key) && isOld(writtenAt, now)).map(({ key }) => key),
    );
    after = page.after;
  } while (after !== undefined);
  const ended = new Set<string>();
  for (const job of new Set(old.map(jobOf))) if (isId('job', job) && (await hasEnded(deps, table, job))) ended.add(job);
  return old.filter((key) => ended.has(jobOf(key)));
}

/** The manifests of the snapshots, and what they name. */
async function namedBy({ objects }: Deps, snapshots: readonly SnapshotRecord[]): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const { manifest } of snapshots) {
    if (manifest === undefined) continue;
    named.add(manifest);
    const { parts, rejects } = await readManifest(objects, manifest);
    for (const { key } of parts) named.add(key);
    if (rejects?.key !== undefined) named.add(rejects.key).add(csvKeyOf(rejects.key));
  }
  return named;
}
