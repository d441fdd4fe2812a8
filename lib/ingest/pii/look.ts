// Looks for personal data in one table that lies in Parquet files, and draws its samples: the part of the stages that needs the engine.
import { type EngineSettings, withEngine } from '../engine/engine.ts';
import { listOf } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import type { CustomDetector } from './custom.ts';
import { builtInDetectors } from './detectors.ts';
import { sampleValues, type ValuesOf } from './scan.ts';
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

/** The values that tags are decided on and samples drawn from. A table without parts has none. */
export async function lookAtValues(
  request: Pick<LookRequest, 'parts' | 'columns' | 'seed' | keyof EngineSettings>,
  distinct?: ReadonlyMap<string, number>,
): Promise<ValuesOf[]> {
  const { parts, columns, seed } = request;
  if (parts.length === 0) return columns.map((column) => ({ ...column, values: [] }));
  const source = `read_parquet(${listOf(parts.map(({ path }) => path))}, hive_partitioning = false)`;
  return withEngine(request, (engine) => sampleValues(engine, { source, columns, seed, distinct }));
}

const askedOf = ({ policy, ...request }: LookRequest) => ({
  ...request,
  detectors: builtInDetectors({ countries: policy.countries, today: request.today }),
  threshold: policy.threshold,
});

/** The tags of the columns that have one. */
export const lookForTags = (request: LookRequest, values: readonly ValuesOf[]): Promise<TaggedColumns> =>
  withEngine(request, (engine) => tagColumns({ ...askedOf(request), values, engine }));

/** Samples of the columns that are not `hidden`; of those that are `cleared`, whatever detectors say of single values. */
export async function lookForSamples(
  request: LookRequest & Pick<SampleRequest, 'cleared'> & { readonly hidden: ReadonlySet<string> },
  values: readonly ValuesOf[],
): Promise<Drawn> {
  const columns = request.columns.filter(({ name }) => !request.hidden.has(name));
  if (request.parts.length === 0 || columns.length === 0) return { values: new Map(), rows: { columns: [], rows: [] } };
  return withEngine(request, (engine) =>
    drawSamples({ ...askedOf(request), columns, values, cleared: request.cleared, engine }),
  );
}
