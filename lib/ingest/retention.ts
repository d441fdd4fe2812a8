// What a dataset keeps of its tables, by its policy: a job that somebody asks for, or a schedule.
import * as z from 'zod';
import { must } from '../core/check.ts';
import { Fault } from '../core/fault.ts';
import { type Pipeline, pipeline } from '../pipeline/definition.ts';
import { defineStage } from '../pipeline/stage.ts';
import { rowsOf } from './deletion/rows.ts';
import { sweepFiles } from './deletion/sweep-files.ts';
import { sweepTable } from './deletion/sweep.ts';
import type { IngestDeps } from './pipeline.ts';
import { policyOf } from './policy.ts';
import { idOf } from './id-of.ts';

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
    /** Objects that no snapshot names, and bytes of uploads that no file is known by. */
    objects: z.int(),
  }),
);
export type RetentionResult = z.infer<typeof resultSchema>;

type Deps = Pick<IngestDeps, 'catalog' | 'objects' | 'jobs'>;

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
        const asked = { ...deps, jobs: must(deps.jobs, 'the jobs') };
        const rules = { retention, dryRun, now: ctx.clock.now() };
        for await (const row of rowsOf((page) => deps.catalog.listTableRows(ctx.ref, dataset, page))) {
          ctx.signal.throwIfAborted();
          const swept = await sweepTable(asked, ctx.ref, dataset, row, rules);
          if (row.name !== undefined && row.deletion === undefined) total.tables += 1;
          for (const each of ['expired', 'removed', 'partial', 'objects'] as const) total[each] += swept[each];
          ctx.progress(total.tables, 0, 'tables');
        }
        total.objects += await sweepFiles(asked, ctx.ref, dataset, rules);
        return total;
      },
    }),
  );
