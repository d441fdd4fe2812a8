// What this deployment can run; the functions and the embedded process compose the same list.
import { createWorkspaceJobs } from '../../lib/ingest/deletion/workspace/kinds.ts';
import { createInboxDrop } from '../../lib/ingest/inbox/drop-job.ts';
import { createIngestJobs, createIngestPipelines } from '../../lib/ingest/kinds.ts';
import type { IngestDeps } from '../../lib/ingest/pipeline.ts';
import { must } from '../../lib/core/check.ts';
import { bulkKind } from '../../lib/job/dead/bulk-kind.ts';
import { diagnosticKinds } from '../../lib/job/diagnostics.ts';
import type { Engine } from '../../lib/job/engine.ts';
import { createRegistry, type Registry } from '../../lib/job/registry.ts';
import { createTickKind } from '../../lib/job/schedule/tick-kind.ts';
import type { PipelineDefinition } from '../../lib/pipeline/definition.ts';
import type { OwnKind } from '../../lib/pipeline/own-kinds.ts';

export interface Kinds {
  readonly registry: Registry;
  /** The pipelines among the kinds. */
  readonly pipelines: readonly PipelineDefinition[];
}

/**
 * `own`: what the user brings. `engine`: for the engine's own kinds, asked for when one of them runs. Throws a TypeError where a kind has
 * the name of another.
 */
export function createKinds(deps: IngestDeps, own: readonly OwnKind[], engine?: () => Engine): Kinds {
  const ingest = createIngestPipelines(deps);
  const running = () => must(engine, 'an engine to run kinds with')();
  const drops = createInboxDrop({ ...deps, engine: running });
  const workspaces = createWorkspaceJobs({ ...deps, engine: running });
  const system = [bulkKind(running), createTickKind(running), drops, ...createIngestJobs(deps), ...workspaces];
  const pipelines = [...ingest, ...own.filter((kind) => kind.type === 'pipeline')];
  return {
    registry: createRegistry([...diagnosticKinds, ...system, ...ingest, ...own]),
    pipelines,
  };
}
