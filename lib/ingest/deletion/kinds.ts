// The jobs of deletion: a purge that somebody asks for, the purge that comes when a deletion has stood long enough, and the look at a dataset
// for what dead jobs left. The last two run under the system's tenant, and name in their input where they work.
import * as z from 'zod';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { derivedId, type DatasetId, type JobId, type Scope } from '../../core/ids.ts';
import { days, type EpochMs, epochMs, hours, later, toIso } from '../../core/time.ts';
import { isRestorable } from '../../job/dead/workspaces.ts';
import { defineJob, type JobContext, type JobKind } from '../../job/registry.ts';
import { cancel } from '../../job/run/outcome.ts';
import { submitJob, type SubmitEngine } from '../../job/submit/submit.ts';
import { systemScope } from '../../job/system-scope.ts';
import { thenSubmit } from '../../job/waits/owed.ts';
import type { IngestDeps } from '../pipeline.ts';
import { idOf } from '../id-of.ts';
import type { Deletable, Deletion } from './ports.ts';

export const PURGE_KIND = 'purge';
const LATER_KIND = 'system.purge';
const TIDY_KIND = 'system.tidy';

const purgeInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    /** The dataset as a whole where left out. */
    table: idOf('tbl').optional(),
    /** Counts, and changes nothing; of what is not deleted too. */
    dryRun: z.boolean().optional(),
  }),
);
const time = z.int().transform((value): EpochMs => epochMs(value));
const workspace = { tenant: z.string(), workspace: z.string() };
const laterInput = z.lazy(() =>
  z.strictObject({ ...workspace, dataset: idOf('ds'), table: idOf('tbl').optional(), at: time, until: time }),
);
const tidyInput = z.lazy(() => z.strictObject({ ...workspace, dataset: idOf('ds') }));

type Place = Pick<z.output<typeof tidyInput>, 'tenant' | 'workspace'>;
const scopeOf = (place: Place): Scope => place as unknown as Scope;

type Deps = Pick<IngestDeps, 'catalog' | 'documents' | 'objects' | 'jobs'>;
const purgeDeps = (deps: Deps) => ({ ...deps, jobs: must(deps.jobs, 'the jobs') });

/** Removes for good, and comes back when nobody reads the index any more that knew it. */
async function purgeNow(ctx: JobContext, deps: Deps, thing: Deletable, deletion: Deletion) {
  // Loaded when it is needed: whoever only submits starts without it.
  const [{ indexGrace, purge }, { purgeRun }] = await Promise.all([import('./purge.ts'), import('./run.ts')]);
  const report = await purge(purgeRun(ctx, purgeDeps(deps), thing), deletion);
  const { tenant, workspace, dataset } = thing;
  if (!report.purged) return report;
  return thenSubmit(report, { kind: TIDY_KIND, input: { tenant, workspace, dataset }, delay: indexGrace });
}

/** Faults: NOT_FOUND; CONFLICT where it is not deleted, or another job purges it. */
const createPurge = (deps: Deps): JobKind<z.output<typeof purgeInput>> =>
  defineJob({
    kind: PURGE_KIND,
    input: purgeInput,
    run: async (ctx, { dataset, table, dryRun }) => {
      const { tenant, workspace } = ctx.ref;
      const thing: Deletable = { tenant, workspace, dataset, table };
      const deletion = await ctx.step('read', async () => standing(deps, thing, dryRun === true));
      if (dryRun !== true) return purgeNow(ctx, deps, thing, must(deletion, 'a deletion'));
      const { measure } = await import('./measure.ts');
      return { dryRun: true, purged: false, ...(await measure({ deps: purgeDeps(deps), thing })) };
    },
  });

async function standing({ catalog }: Deps, thing: Deletable, dryRun: boolean): Promise<Deletion | null> {
  const found = await catalog.standingOf(thing);
  if (found === undefined) throw new Fault('NOT_FOUND', 'There is no such table or dataset in this workspace.');
  if (found.deletion === undefined && !dryRun) throw new Fault('CONFLICT', `${found.name} is not deleted.`);
  return found.deletion ?? null;
}

const createLaterPurge = (deps: Deps): JobKind<z.output<typeof laterInput>> =>
  defineJob({
    kind: LATER_KIND,
    internal: true,
    input: laterInput,
    run: (ctx, { at, until, dataset, table, ...place }) =>
      purgeNow(ctx, deps, { ...scopeOf(place), dataset, table }, { at, until }),
  });

/** Comes again while something is under way that may leave something. */
const createTidy = (deps: Deps): JobKind<z.output<typeof tidyInput>> =>
  defineJob({
    kind: TIDY_KIND,
    internal: true,
    input: tidyInput,
    run: async (ctx, { dataset, ...place }) => {
      const end = await deps.catalog.workspaceEnd(scopeOf(place));
      // Nothing is written where a purge is at it, or was.
      if (end !== undefined && !isRestorable(end)) return cancel('The workspace is purged.');
      const { tidyDataset } = await import('./tidy.ts');
      const { waits, ...tidied } = await tidyDataset(ctx, purgeDeps(deps), scopeOf(place), dataset);
      const again = { kind: TIDY_KIND, input: { ...place, dataset }, delay: days(1) };
      return waits ? thenSubmit(tidied, again) : tidied;
    },
  });

export const createDeletionJobs = (deps: Deps): readonly JobKind[] => [
  createPurge(deps),
  createLaterPurge(deps),
  createTidy(deps),
];

const jobOf = (kind: string, { tenant, workspace, dataset, table }: Deletable, at: number): JobId =>
  derivedId('job', kind, tenant, workspace, dataset, table ?? '', String(at));

/** Submits the purge of what is to be deleted so, for the time at which it cannot be restored any more. Once, however often it is said. */
export async function purgeLater(engine: SubmitEngine, thing: Deletable, deletion: Deletion, correlationId: string) {
  const { tenant, workspace, dataset, table } = thing;
  const input = { tenant, workspace, dataset, ...(table && { table }), ...deletion };
  const id = jobOf(LATER_KIND, thing, deletion.at);
  await submitJob(engine, {
    scope: systemScope,
    kind: LATER_KIND,
    id,
    input,
    notBefore: deletion.until,
    correlationId,
  });
}

/** The end of a UTC day. */
const endOfDay = (now: EpochMs): EpochMs => later(epochMs(Date.parse(toIso(now).slice(0, 10))), days(1));
/** Longer than what a job leaves behind is left alone. */
const AFTER_DAY = hours(26);

/** Lets a dataset be looked through when the uploads of a day are old enough: one job a dataset and day, whatever becomes of theirs. */
export async function tidyLater(engine: SubmitEngine, scope: Scope, dataset: DatasetId, correlationId: string) {
  const { tenant, workspace } = scope;
  const day = endOfDay(engine.clock.now());
  const id = jobOf(TIDY_KIND, { tenant, workspace, dataset }, day);
  const notBefore = later(day, AFTER_DAY);
  const input = { tenant, workspace, dataset };
  await submitJob(engine, { scope: systemScope, kind: TIDY_KIND, id, input, notBefore, correlationId });
}
