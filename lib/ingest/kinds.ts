// The kinds of this room: what functions compose, and infra gives state machines to. Pipelines run where DuckDB is.
import type { JobKind } from '../job/registry.ts';
import type { PipelineDefinition } from '../pipeline/definition.ts';
import { createDescribePass } from './passes/describe-pass.ts';
import { createRelationPass } from './passes/relation-pass.ts';
import { createDerive } from './derive/derive-pipeline.ts';
import { createChunkPipeline } from './chunks/chunk-pipeline.ts';
import { createCountStorage } from './count-storage.ts';
import { createDeletionJobs } from './deletion/kinds.ts';
import { createIngest, type IngestDeps } from './pipeline.ts';
import { createQueryJob } from './queries/query-job.ts';
import { defaultReadLimits } from './reading/types.ts';
import { createRefreshSamples } from './refresh-samples.ts';
import { createRetention } from './retention.ts';
import { createRollback } from './rollback.ts';
import { createAfterIngest } from './search/after-ingest.ts';
import { createEmbed } from './search/vectors/embed-job.ts';
import { createScrub } from './scrub.ts';

/** Nothing of `deps` is touched before a job runs. */
export const createIngestPipelines = (deps: IngestDeps): readonly PipelineDefinition[] => [
  createIngest(deps),
  createDerive(deps),
  createRollback(deps),
  createQueryJob(deps),
  createRetention(deps),
  createDescribePass({ ...deps, limits: deps.limits ?? defaultReadLimits }),
  createRelationPass({ ...deps, limits: deps.limits ?? defaultReadLimits }),
  createRefreshSamples(deps),
  createChunkPipeline({ objects: deps.objects, limits: deps.limits ?? defaultReadLimits }),
];

/** What is light enough for the function that runs jobs. */
export const createIngestJobs = (deps: IngestDeps): readonly JobKind[] => [
  createAfterIngest(deps),
  createEmbed(deps),
  createScrub(deps),
  createCountStorage(deps),
  ...createDeletionJobs(deps),
];
