// What relations are found from and what is found of them: columns of published tables, pairs of them, and measures of their values.
import type { TableId } from '../../core/ids.ts';

/** A column of a table, with what its profile says. */
export interface KeyColumn {
  readonly table: TableId;
  readonly tableName: string;
  readonly column: string;
  /** DuckDB's name. */
  readonly type: string;
  readonly rows: number;
  readonly nulls: number;
  /** Undefined where the column has no profile. */
  readonly distinct?: number | undefined;
}

/** How two names go together, from 0 to 1, and in words. */
export interface NameMatch {
  readonly score: number;
  readonly why: string;
}

/** `from` would refer to `to`, whose values tell its rows apart. */
export interface Candidate {
  readonly from: KeyColumn;
  readonly to: KeyColumn;
  readonly names: NameMatch;
}

export type Cardinality = 'one-to-one' | 'many-to-one' | 'many-to-many';

/** Counted on the data. Of `looked` different values of `from`, `found` stand in `to`. */
export interface Measured {
  readonly looked: number;
  readonly found: number;
  /** Rows of `from` with one of the values looked at, and those of them whose value is found. */
  readonly lookedRows: number;
  readonly foundRows: number;
  /** A part of the different values of `from` was looked at, chosen by their hash. */
  readonly sampled: boolean;
  /** The most rows of `from`, and of `to`, that share one of the values looked at. */
  readonly mostFrom: number;
  readonly mostTo: number;
  readonly fromRows: number;
  readonly fromNulls: number;
  readonly toRows: number;
  readonly toNulls: number;
  /** Different values of `to`, by estimate where there are many. */
  readonly toDistinct: number;
}
