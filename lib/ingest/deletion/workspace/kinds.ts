// The jobs of the deletion of a workspace: one tells its jobs to stop, one counts what there is, one removes it and comes back until nothing came
// late. Whoever removes holds the workspace by a conditional write, and proves before each removal that it still has its claim.
import type * as z from 'zod';
import { minutes } from '../../../core/time.ts';
import type { WorkspaceEnd } from '../../../job/dead/workspaces.ts';
import { defineJob, type JobContext, type JobKind } from '../../../job/registry.ts';
import { cancel, snooze } from '../../../job/run/outcome.ts';
import { isTerminal } from '../../../job/status.ts';
import { systemScope } from '../../../job/system-scope.ts';
import { thenSubmit } from '../../../job/waits/owed.ts';
import type { Pass, WorkspaceRun } from './passes.ts';
import { MEASURE_KIND, measureInput, PURGE_WORKSPACE_KIND, purgeInput, STOP_KIND, stopInput } from './submits.ts';

/** `engine` is asked when a job runs: its registry holds these kinds too. */
export type WorkspaceDeps = Pick<WorkspaceRun, 'catalog' | 'objects'> & {
  readonly engine: () => WorkspaceRun['engine'];
};
type PurgeOrder = z.output<typeof purgeInput>;

/** As long as the relay, or a worker that has lost its lease, may take to write something late. */
const LOOK_AGAIN = minutes(11);
const SOON = minutes(1);

export const createWorkspaceJobs = (deps: WorkspaceDeps): readonly JobKind[] => [
  defineJob({
    kind: STOP_KIND,
    internal: true,
    input: stopInput,
    run: async (ctx, { at, ...scope }) => {
      const stands = async () => (await deps.catalog.workspaceEnd(scope))?.at === at;
      if (!(await stands())) return cancel('It is not deleted so any more.');
      const { stopJobs } = await import('./passes.ts');
      const end = await through(ctx, deps, { scope, stands }, [stopJobs]);
      return 'later' in end ? end.later : { stopped: end.done.removed };
    },
  }),
  defineJob({
    kind: MEASURE_KIND,
    internal: true,
    input: measureInput,
    run: async (ctx, scope) => {
      const { countObjects, countRows } = await import('./passes.ts');
      const end = await through(ctx, deps, { scope }, [countRows, countObjects]);
      return 'later' in end ? end.later : { dryRun: true, purged: false, ...end.done.counts };
    },
  }),
  defineJob({
    kind: PURGE_WORKSPACE_KIND,
    internal: true,
    input: purgeInput,
    run: (ctx, order) => purge(ctx, deps, order),
  }),
];

async function through(
  ctx: JobContext,
  { catalog, objects, engine }: WorkspaceDeps,
  about: Pick<WorkspaceRun, 'scope' | 'stands'>,
  passes: readonly Pass[],
) {
  const { goThrough } = await import('./through.ts');
  return goThrough(ctx, { ...about, catalog, objects, engine: engine() }, passes);
}

async function purge(ctx: JobContext, deps: WorkspaceDeps, { at, look = 0, ...scope }: PurgeOrder) {
  const end = await deps.catalog.workspaceEnd(scope);
  if (end?.at !== at || end.purgedAt !== undefined)
    return cancel('It is not deleted so any more, or was purged before.');
  const held = await hold(ctx, deps, scope, end);
  if (held !== 'held') return held === 'other' ? cancel('Another job purges it.') : snooze(SOON);
  const { clearUsage, countObjects, countRows, entombJobs, removeKeys, removeObjects, removeRows } = await import(
    './passes.ts'
  );
  const counts = look === 0 ? [countRows, countObjects] : [];
  // Keys open nothing by now but what tells of the purge; they go with the first look.
  const removals = [entombJobs, removeObjects, removeRows, clearUsage, ...(look === 0 ? [] : [removeKeys])];
  const gone = await through(ctx, deps, { scope }, [...counts, ...removals]);
  if ('later' in gone) return gone.later;
  const { removed, counts: found } = gone.done;
  if (look > 0 && removed === 0) {
    await deps.catalog.closeWorkspace(scope, ctx.ref.id, ctx.clock.now());
    return { purged: true, removed };
  }
  const next = { kind: PURGE_WORKSPACE_KIND, input: { ...scope, at, look: look + 1 }, delay: LOOK_AGAIN };
  const result = look === 0 ? { dryRun: false, purged: true, ...found } : { purged: true, removed };
  return thenSubmit(result, next);
}

/** `other` where a job that has not ended is at it. */
async function hold(
  ctx: JobContext,
  { catalog, engine }: WorkspaceDeps,
  scope: WorkspaceRun['scope'],
  read: WorkspaceEnd,
): Promise<'held' | 'other' | 'moved'> {
  const { id } = ctx.ref;
  if (read.purgedBy === id) return 'held';
  if (read.purgedBy !== undefined) {
    const holder = await engine().store.get({ ...systemScope, id: read.purgedBy });
    if (holder !== undefined && !isTerminal(holder.status)) return 'other';
  }
  return catalog.holdWorkspace(scope, read, id);
}
