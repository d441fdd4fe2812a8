// The facts of a table, from what stages measured or from its manifest: with meanings by rule, and without any value of a personal column.
import { personalTypes, type Semantic } from '../semantics/types.ts';
import type { DescribedColumn, DescribedTable } from './facts.ts';

/** A column as a profile or a manifest has it. */
export interface KnownColumn {
  readonly name: string;
  readonly type: string;
  readonly profile?:
    | {
        /** Rows that all of it is of, where they are not all of the table's. */
        readonly rows?: number | undefined;
        readonly nulls: number;
        readonly distinct: number;
        readonly distinctIsExact: boolean;
        readonly min: string | null;
        readonly max: string | null;
        readonly topValues: readonly { readonly value: string }[];
        readonly lengths?: { readonly mean: number } | undefined;
      }
    | undefined;
  /** Somebody or something tagged it as personal. */
  readonly tagged?: boolean | undefined;
}

export interface KnownTable {
  readonly name: string;
  readonly rows: number;
  readonly source?: string | undefined;
  readonly columns: readonly KnownColumn[];
}

/** `semantics` in the order of the columns. */
export const tableFacts = (
  { name, rows, source, columns }: KnownTable,
  semantics: readonly Semantic[],
): DescribedTable => ({
  name,
  rows,
  source,
  columns: columns.map((column, index) => columnFacts(column, semantics[index] ?? { type: 'unknown', by: 'type' })),
});

function columnFacts({ name, type, profile, tagged }: KnownColumn, semantic: Semantic): DescribedColumn {
  const personal = tagged === true || personalTypes.has(semantic.type);
  const common = { name, type, semantic, personal };
  if (profile === undefined) return { ...common, nulls: 0, values: [] };
  const { rows: looked, nulls, distinct, distinctIsExact, min, max, topValues } = profile;
  const counted = {
    looked,
    nulls,
    distinct,
    distinctIs: distinctIsExact ? ('exact' as const) : ('approximate' as const),
  };
  if (personal) return { ...common, ...counted, values: [] };
  return { ...common, ...counted, min, max, values: topValues.map(({ value }) => value) };
}
