// Looks for personal data in one table that lies in Parquet files, and draws its samples: the part of the stages that needs the engine.
import { type EngineSettings, withEngine } from '../engine/engine.ts';
import { listOf } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import type { CustomDetector } from './custom.ts';
import { builtInDetectors } from './detectors.ts';
import { drawSamples, type Drawn, type SampleRequest } from './samples.ts';
import { tagColumns, type TaggedColumns } from './tag-columns.ts';
import type { PiiPolicy } from './tags.ts';

export interface LookRequest extends EngineSettings {
  /** Local Parquet files of one schema, in the order of the rows. */
  readonly parts: SampleRequest['parts'];
  readonly table: string;
  readonly columns: readonly Column[];
  /** The same seed looks at the same values, and draws the same ones. */
  readonly seed: string;
  readonly policy: PiiPolicy;
  readonly custom: readonly CustomDetector[];
  /** ISO date. */
  readonly today: string;
}

const partsOf = ({ policy, ...request }: LookRequest) => ({
  ...request,
  source: `read_parquet(${listOf(request.parts.map(({ path }) => path))}, hive_partitioning = false)`,
  detectors: builtInDetectors({ countries: policy.countries, today: request.today }),
  threshold: policy.threshold,
});

/** The tags of the columns that have one. A table without parts has no values. */
export async function lookForTags(request: LookRequest): Promise<TaggedColumns> {
  if (request.parts.length === 0) return { tags: new Map(), warnings: [] };
  return withEngine(request, (engine) => tagColumns({ ...partsOf(request), engine }));
}

/** Samples of the columns that are not `hidden`; of those that are `cleared`, whatever detectors say of single values. */
export async function lookForSamples(
  request: LookRequest & Pick<SampleRequest, 'cleared'> & { readonly hidden: ReadonlySet<string> },
): Promise<Drawn> {
  const shown = request.columns.filter(({ name }) => !request.hidden.has(name));
  if (request.parts.length === 0 || shown.length === 0) return { values: new Map(), rows: { columns: [], rows: [] } };
  return withEngine(request, (engine) =>
    drawSamples({ ...partsOf(request), cleared: request.cleared, columns: shown, engine }),
  );
}
