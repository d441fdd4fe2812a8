// The kind of job that writes, or counts, some chunks of a large file, as a child of the job that ingests it. A pipeline of one stage, since stages
// run where DuckDB is.
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import { type Pipeline, pipeline } from '../../pipeline/definition.ts';
import { defineStage } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { CHUNK_KIND, type ChunkInput, chunkInput, type ChunkResult, chunkResult } from './chunk-input.ts';

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/** Nothing of `deps` is touched before a job runs. */
export const createChunkPipeline = ({ objects, limits }: Deps): Pipeline<ChunkResult> =>
  pipeline(CHUNK_KIND, { input: chunkInput, version: '1', internal: true }).stage(
    defineStage({
      name: 'write',
      output: chunkResult,
      run: async (ctx, { plan: key, dataset, table, of, ...work }: ChunkInput) => {
        const { tenant, workspace } = ctx.ref;
        if (!key.startsWith(`${tenant}/${workspace}/`))
          throw new Fault('INPUT_UNREADABLE', 'The plan is of another workspace.');
        const planned = { objects, limits, dataset, table, key };
        if (of === 'row groups') {
          const { readGroupsPlan } = await import('../parquet/groups/plan.ts');
          const { workOnGroups } = await import('../parquet/groups/group-work.ts');
          return workOnGroups(ctx, { ...planned, plan: await readGroupsPlan(objects, key) }, work);
        }
        const { readPlan } = await import('./plan.ts');
        const { workOnChunks } = await import('./chunk-work.ts');
        return workOnChunks(ctx, { ...planned, plan: await readPlan(objects, key) }, work);
      },
    }),
  );
