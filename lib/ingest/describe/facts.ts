// What descriptions are made from: names, types, profile and meaning of a table's columns. A personal column shows nobody a value of its own.
import type { Semantic } from '../semantics/types.ts';

export interface DescribedColumn {
  readonly name: string;
  /** DuckDB's name of it. */
  readonly type: string;
  readonly semantic: Semantic;
  /** Rows that what follows is of, where they are not all of the table's. */
  readonly looked?: number | undefined;
  readonly nulls: number;
  /** Undefined where the column has no profile. */
  readonly distinct?: number | undefined;
  /** Undefined as `distinct`. */
  readonly distinctIs?: 'exact' | 'approximate' | undefined;
  readonly min?: string | null | undefined;
  readonly max?: string | null | undefined;
  /** Some of its values, the most frequent first; none of a personal column. */
  readonly values: readonly string[];
  /** Its values are about a person, or may be: tagged, or by its meaning. */
  readonly personal: boolean;
}

export interface DescribedTable {
  readonly name: string;
  readonly rows: number;
  /** The name of the file that it was read from. */
  readonly source?: string | undefined;
  readonly columns: readonly DescribedColumn[];
}

/** How a description came about. */
export type DescribedBy = 'rule' | 'model';

export interface Description {
  readonly text: string;
  readonly by: DescribedBy;
  readonly synonyms: readonly string[];
}

/** What a describer answers: for the columns asked about, in their order, and for the table where that was asked. */
export interface Descriptions {
  readonly table?: Description | undefined;
  readonly columns: readonly (Description & { readonly semantic?: Semantic['type'] | undefined })[];
}

export interface DescribeRequest {
  readonly table: DescribedTable;
  /** Of the table; at most `BATCH`. */
  readonly columns: readonly DescribedColumn[];
  /** Whether the table itself is to be described too. */
  readonly about: 'columns' | 'table and columns';
  readonly signal?: AbortSignal | undefined;
}

/** Columns of one request. */
export const BATCH = 20;

/** The port of whatever describes: rules, or a model. */
export interface Describer {
  describe(request: DescribeRequest): Promise<Descriptions>;
}
