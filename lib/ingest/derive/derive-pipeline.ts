// The kind `derive`: a SELECT becomes a table, or what a table is derived from is read again. The stages of an ingest, with a query in place
// of a file.
import { type Pipeline, pipeline } from '../../pipeline/definition.ts';
import { type IngestDeps, untilPublished } from '../pipeline.ts';
import { defaultReadLimits } from '../reading/types.ts';
import type { IngestResult } from '../publishing/result-of.ts';
import { DERIVE_KIND, deriveInput } from './input.ts';
import { createReceiveDerived } from './receive-derived.ts';
import { createRunDefinition } from './run-definition.ts';

/** Nothing of `deps` is touched before a stage runs. */
export function createDerive({ limits = defaultReadLimits, ...deps }: IngestDeps): Pipeline<IngestResult> {
  const rows = pipeline(DERIVE_KIND, {
    input: deriveInput,
    version: '1',
    // One after the other: of two at once the older rows could be published last.
    concurrency: { limit: 1, key: ({ dataset, table }) => `derive:${String(dataset)}:${table.toLowerCase()}` },
  })
    .stage(createReceiveDerived(deps))
    .stage(createRunDefinition({ ...deps, limits }), { sharesStep: true });
  return untilPublished(rows, { ...deps, limits });
}
