// The pass that describes what is published: tables that no stage has described, and what a model was to describe and has not. The rows and
// the snapshot stay; the table gets another manifest.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { millis } from '../../core/time.ts';
import { thenSubmit } from '../../job/waits/owed.ts';
import { type PipelineDefinition, pipeline } from '../../pipeline/definition.ts';
import { defineStage } from '../../pipeline/stage.ts';
import { type DescribePassDeps, type DescribePassInput, describePassInput } from '../describe/deps.ts';
import { afterIngest } from '../search/after-ingest.ts';
import { idOf } from '../id-of.ts';

const output = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    /** Tables whose descriptions were looked at, and those of them that have new ones. */
    tables: z.int(),
    described: z.int(),
    /** Columns that a model was to describe and has not. */
    left: z.int(),
    /** Why: `run` and `month` are budgets, `silent` a service that may answer later. */
    why: z.enum(['run', 'month', 'silent', 'refused', 'unfit']).optional(),
    /** What the questions of this attempt cost. */
    costCents: z.number(),
  }),
);

export const createDescribePass = (deps: DescribePassDeps): PipelineDefinition =>
  pipeline('describe-pass', { input: describePassInput, version: '1' }).stage(
    defineStage({
      name: 'describe',
      output,
      run: async (ctx, asked: DescribePassInput) => {
        const { tenant, workspace } = ctx.ref;
        if ((await deps.catalog.getDataset({ tenant, workspace }, asked.dataset)) === undefined)
          throw new Fault('NOT_FOUND', `There is no dataset ${asked.dataset} in this workspace.`);
        // Loaded when it is needed, as in the stages of ingest.
        const { describePublished } = await import('../describe/published.ts');
        const { result, after } = await describePublished(ctx, deps, asked);
        const input = { dataset: asked.dataset, ...(asked.table && { table: asked.table }), follows: true };
        const next = after === undefined ? [] : [{ kind: 'describe-pass', input, delay: millis(after) }];
        // What is found by its descriptions is found by the new ones.
        return thenSubmit(result, afterIngest(asked.dataset, next));
      },
    }),
  );
