// The pass that compares the tables of a whole dataset: measures every relation that is known, and looks for new ones.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { type PipelineDefinition, pipeline } from '../../pipeline/definition.ts';
import { defineStage } from '../../pipeline/stage.ts';
import type { RelationDeps } from '../relations/run.ts';
import { idOf } from '../id-of.ts';

const input = z.lazy(() => z.strictObject({ dataset: idOf('ds') }));
const output = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    /** Pairs of columns whose values were compared. */
    measured: z.int(),
    /** Those of them that are proposed for the first time. */
    fresh: z.int(),
    /** Pairs that were left, beyond the bounds of one run. */
    left: z.int(),
  }),
);

export const createRelationPass = (deps: RelationDeps): PipelineDefinition =>
  pipeline('relation-pass', { input, version: '1' }).stage(
    defineStage({
      name: 'relations',
      output,
      run: async (ctx, { dataset }: z.infer<typeof input>) => {
        const { tenant, workspace } = ctx.ref;
        if ((await deps.catalog.getDataset({ tenant, workspace }, dataset)) === undefined)
          throw new Fault('NOT_FOUND', `There is no dataset ${dataset} in this workspace.`);
        // Loaded when it is needed, as in the stages of ingest.
        const { lookForRelations } = await import('../relations/run.ts');
        const { findings, fresh, left } = await lookForRelations(ctx, deps, dataset);
        return { dataset, measured: findings.length, fresh, left };
      },
    }),
  );
