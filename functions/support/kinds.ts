// What this deployment can run; the functions and the embedded process compose the same list.
import { createIngest, type IngestDeps } from '../../lib/ingest/pipeline.ts';
import { diagnosticKinds } from '../../lib/job/diagnostics.ts';
import { createRegistry, type Registry } from '../../lib/job/registry.ts';
import type { PipelineDefinition } from '../../lib/pipeline/definition.ts';
import type { OwnKind } from '../../lib/pipeline/own-kinds.ts';

export interface Kinds {
  readonly registry: Registry;
  /** The pipelines among the kinds. */
  readonly pipelines: readonly PipelineDefinition[];
}

/** `own`: what the user brings. Throws a TypeError where one of them has the name of another. */
export function createKinds(deps: IngestDeps, own: readonly OwnKind[]): Kinds {
  const ingest = createIngest(deps);
  const pipelines = [ingest, ...own.filter((kind) => kind.type === 'pipeline')];
  return { registry: createRegistry([...diagnosticKinds, ingest, ...own]), pipelines };
}
