// The pipelines that get a state machine: those that functions/support/kinds.ts composes, which a test compares.
import { createIngestPipelines } from '../lib/ingest/kinds.ts';
import type { IngestDeps } from '../lib/ingest/pipeline.ts';
import type { PipelineDefinition } from '../lib/pipeline/definition.ts';

/** A definition touches the world only when a stage runs, and here none does. */
const nothing = {} as IngestDeps;

export const definitions: readonly PipelineDefinition[] = createIngestPipelines(nothing);
