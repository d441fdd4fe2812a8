import type { Registry } from '../../job/registry.ts';
import type { PipelineDefinition } from '../../pipeline/definition.ts';

/** One release of the code: the kinds that its processes know. */
export interface Release {
  readonly registry: Registry;
  readonly pipelines: ReadonlyMap<string, PipelineDefinition>;
}
