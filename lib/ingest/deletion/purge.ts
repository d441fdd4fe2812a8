// A purge: what is deleted is removed for good. Callers have not seen it since it was deleted, so objects and rows go in any order, and the row
// that hides them goes last. A run that is killed is run again, and removes what is left: nothing but that a job holds the purge is kept of
// it. Before each removal the claim is tested: what was listed under a claim belongs to what is purged, and to no later life of its name.
import { Fault } from '../../core/fault.ts';
import type { JobId } from '../../core/ids.ts';
import { objectKey } from '../../core/objects.ts';
import { minutes } from '../../core/time.ts';
import { isTerminal } from '../../job/status.ts';
import { systemScope } from '../../job/system-scope.ts';
import { indexRoom } from '../search/after-ingest.ts';
import { filesOf } from './files.ts';
import { measure, type PurgeCounts, storedIn } from './measure.ts';
import type { Deletable, Deletion, Standing } from './ports.ts';
import { removeAll } from './removal.ts';
import type { PurgeDeps, PurgeRun } from './run.ts';

export interface PurgeReport extends PurgeCounts {
  readonly dryRun: boolean;
  readonly purged: boolean;
  /** Where it was not. */
  readonly why?: string;
}

/** Throws the Fault CONFLICT where another job is at it. */
async function hold(
  { ctx, deps, thing }: PurgeRun,
  read: Standing & { readonly deletion: Deletion },
): Promise<boolean> {
  const { id: job } = ctx.ref;
  if (read.purgedBy === job) return true;
  if (read.purgedBy !== undefined && !(await hasEnded(deps, thing, read.purgedBy)))
    throw new Fault('CONFLICT', `The job ${read.purgedBy} purges it.`, { extra: { jobId: read.purgedBy } });
  return (await deps.catalog.holdForPurge(thing, read, job)) === 'held';
}

/** It runs in the workspace where somebody asked for it, and else under the system's tenant. */
async function hasEnded({ jobs }: PurgeDeps, { tenant, workspace }: Deletable, id: JobId): Promise<boolean> {
  const rows = await Promise.all([{ tenant, workspace }, systemScope].map((scope) => jobs.get({ ...scope, id })));
  return rows.every((row) => row === undefined || isTerminal(row.status));
}

/**
 * Purges what is deleted as `deletion` says. What is not deleted so any more is left alone, and the report says so. Counts are of what there
 * was when the purge took hold. Throws the Fault CONFLICT where another job is at it.
 */
export async function purge(run: PurgeRun, deletion: Deletion): Promise<PurgeReport> {
  const { ctx, deps, thing } = run;
  const begun = await ctx.step('begin', async () => {
    const read = await deps.catalog.standingOf(thing);
    if (read?.deletion?.at !== deletion.at || !(await hold(run, { ...read, deletion: read.deletion }))) return null;
    const files = thing.table === undefined ? [] : await filesOf(deps, thing);
    return { counts: await measure(run), stored: await storedIn(run), files };
  });
  if (begun === null) return notPurged;
  // Where this job holds it no more, an earlier run of it got to the end.
  if ((await deps.catalog.standingOf(thing))?.purgedBy === ctx.ref.id) await removeAll(run, begun);
  await forgetEntries(run);
  return { dryRun: false, purged: true, ...begun.counts };
}

const nothing: PurgeCounts = { tables: 0, snapshots: 0, files: 0, objects: 0, bytes: 0 };
const notPurged: PurgeReport = { dryRun: false, purged: false, ...nothing, why: 'It is not deleted any more.' };

/** How long readers may take to an index that was left; a later look removes it. */
export const indexGrace = minutes(11);

/** Search shows nothing of it already; here its words leave the index. */
async function forgetEntries({ ctx, deps, thing }: PurgeRun): Promise<void> {
  const { mergeIndex } = await import('../search/merge.ts');
  const { tenant, workspace, dataset } = thing;
  const prefix = objectKey(tenant, workspace, 'search', ctx.ref.id, ctx.epoch);
  const { clock, log, signal } = ctx;
  await mergeIndex({ ...deps, clock, log, room: indexRoom }, { scope: { tenant, workspace }, dataset, prefix, signal });
}
