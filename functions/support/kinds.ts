// What this deployment can run; the functions and the embedded process compose the same list.
import { createIngest, type IngestDeps } from '../../lib/ingest/pipeline.ts';
import { diagnosticKinds } from '../../lib/job/diagnostics.ts';
import { createRegistry, type Registry } from '../../lib/job/registry.ts';
import type { PipelineDefinition } from '../../lib/pipeline/definition.ts';

export interface Kinds {
  readonly registry: Registry;
  /** The pipelines among the kinds. */
  readonly pipelines: readonly PipelineDefinition[];
}

export function createKinds(deps: IngestDeps): Kinds {
  const pipelines = [createIngest(deps)];
  return { registry: createRegistry([...diagnosticKinds, ...pipelines]), pipelines };
}
