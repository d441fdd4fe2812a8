// Dataset ingest: a file becomes a typed, profiled, queryable table. Receive and parse share a step, so the file is fetched once; what
// follows is short and shares the other. Only publishing makes anything visible.
import type { Documents } from '../core/documents.ts';
import type { Objects } from '../core/objects.ts';
import type { JobStore } from '../job/ports.ts';
import { type Pipeline, pipeline } from '../pipeline/definition.ts';
import type { Catalog } from './catalog.ts';
import type { SurveyThreads } from './chunks/survey-threads.ts';
import type { ModelSettings } from './describe/describing.ts';
import { ingestInput } from './input.ts';
import type { LongQueries } from './queries/long-queries.ts';
import { defaultReadLimits, type ReadLimits } from './reading/types.ts';
import type { EmbedderSettings } from './search/vectors/embeddings.ts';
import { createDescribe } from './stages/describe.ts';
import { createIndex } from './stages/index-tables.ts';
import { createPii } from './stages/pii.ts';
import { createSample } from './stages/sample.ts';
import { createParse } from './stages/parse.ts';
import { createProfile } from './stages/profile.ts';
import type { IngestResult } from './publishing/result-of.ts';
import type { Parsed } from './stages/outputs.ts';
import { createPublish } from './stages/publish.ts';
import { createReceive } from './stages/receive.ts';
import { createReconcile } from './stages/reconcile.ts';
import { createRelations } from './stages/relations.ts';

export interface IngestDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  /** Whether a job has ended; what removes things asks. */
  readonly jobs?: Pick<JobStore, 'get'> | undefined;
  /** Default: `defaultReadLimits`. */
  readonly limits?: ReadLimits | undefined;
  /** Bytes that a workspace may store; no limit where left out. */
  readonly workspaceBytes?: number | undefined;
  /** Survey chunks of large text beside each other; one after the other where left out. */
  readonly surveyThreads?: SurveyThreads | undefined;
  /** Runs SQL inside jobs; absent where stages do not run. */
  readonly longQueries?: LongQueries | undefined;
  /** The model that describes tables; rules alone where left out. */
  readonly describer?: ModelSettings | undefined;
  /** The model that search is fused with; full text alone where left out. */
  readonly embedder?: EmbedderSettings | undefined;
}

/** Nothing of `deps` is touched before a stage runs. */
export function createIngest({ limits = defaultReadLimits, ...deps }: IngestDeps): Pipeline<IngestResult> {
  const { catalog, objects, workspaceBytes, surveyThreads } = deps;
  const read = pipeline('ingest', { input: ingestInput, version: '1' })
    .stage(createReceive({ catalog, objects, limits, workspaceBytes, surveyThreads }))
    .stage(createParse({ objects, limits }), { sharesStep: true });
  return untilPublished(read, { ...deps, limits });
}

/** What becomes of tables that stand as Parquet: compared with what is published, looked at, and published together. */
export const untilPublished = (
  made: Pipeline<Parsed>,
  { catalog, documents, objects, limits, workspaceBytes, describer }: IngestDeps & { readonly limits: ReadLimits },
): Pipeline<IngestResult> =>
  made
    .stage(createReconcile({ catalog, documents, objects, limits }))
    .stage(createPii({ documents, objects, limits }), { sharesStep: true })
    .stage(createSample({ documents, objects, limits }), { sharesStep: true })
    .stage(createProfile({ documents, objects, limits }), { sharesStep: true })
    .stage(createRelations({ catalog, documents, objects, limits }), { sharesStep: true })
    .stage(createDescribe({ documents, objects, limits, describer }), { sharesStep: true })
    .stage(createIndex(), { sharesStep: true })
    .stage(createPublish({ documents, objects, limits, workspaceBytes }), { sharesStep: true });
