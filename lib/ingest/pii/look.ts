// Looks for personal data among the values of one table, and draws its samples: the part of the stages that needs the detectors.
import { type EngineSettings, withEngine } from '../engine/engine.ts';
import { type Looked, ROW_COLUMNS } from '../look/request.ts';
import type { Column } from '../reading/types.ts';
import { type CustomDetector, matched } from './custom.ts';
import { builtInDetectors } from './detectors.ts';
import { drawSamples, type Drawn, type SampleRequest } from './samples.ts';
import { type Match, tagColumns, type TaggedColumns } from './tag-columns.ts';
import type { PiiPolicy } from './tags.ts';

export interface JudgeRequest extends EngineSettings {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly policy: PiiPolicy;
  readonly custom: readonly CustomDetector[];
  /** ISO date. */
  readonly today: string;
}

/** An engine is there for the patterns of the workspace alone, where it has any. */
function judging<T>(request: JudgeRequest, use: (match: Match) => Promise<T>): Promise<T> {
  if (request.custom.every(({ pattern }) => pattern === undefined)) return use(() => Promise.resolve([]));
  return withEngine(request, (engine) => use((pattern, values) => matched(engine, pattern, values)));
}

const askedOf = ({ policy, ...request }: JudgeRequest) => ({
  ...request,
  detectors: builtInDetectors({ countries: policy.countries, today: request.today }),
  threshold: policy.threshold,
});

/** The tags of the columns that have one. `values`: of each column. */
export const lookForTags = (request: JudgeRequest, values: Looked['values']): Promise<TaggedColumns> =>
  judging(request, (match) =>
    tagColumns({
      ...askedOf(request),
      values: request.columns.map((column, at) => ({ ...column, values: values[at] ?? [] })),
      match,
    }),
  );

/** Samples of the columns that are not `hidden`; of those that are `cleared`, whatever detectors say of single values. */
export async function lookForSamples(
  request: JudgeRequest & Pick<SampleRequest, 'cleared'> & { readonly hidden: ReadonlySet<string> },
  { values, rows }: Pick<Looked, 'values' | 'rows'>,
): Promise<Drawn> {
  const places = request.columns.flatMap(({ name }, at) => (request.hidden.has(name) ? [] : [at]));
  if (places.length === 0) return { values: new Map(), rows: { columns: [], rows: [] } };
  const columns = places.map((at) => ({ ...(request.columns[at] as Column), values: values[at] ?? [] }));
  const inRows = places.filter((at) => at < (rows[0]?.length ?? ROW_COLUMNS));
  const shown = inRows.length === 0 ? [] : rows.map((row) => inRows.map((at) => row[at] ?? null));
  return judging(request, (match) =>
    drawSamples({ ...askedOf(request), columns, rows: shown, cleared: request.cleared, match }),
  );
}
