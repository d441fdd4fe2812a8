// A table of the object store as one side of a combination: its parts come to the local disk some at a time, so that a table may be larger than
// the disk.
import { listOf } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';

/** A Parquet part in the object store. */
export interface Part {
  readonly key: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface LocalPart extends Part {
  readonly path: string;
}

export interface StoredTable {
  readonly columns: readonly Column[];
  /** In the order of the rows. */
  readonly parts: readonly Part[];
}

/** Answers what `work` does, which may be kept under the name, so that it is not done again. JSON. */
export type Keep = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Calls `use` with parts as local files, some at a time, in their order; the files may be gone once it has ended. What it answers each time,
 * which is kept under `name` where there is one.
 */
export type SomeAtATime = <T>(
  parts: readonly Part[],
  use: (some: readonly [LocalPart, ...LocalPart[]]) => Promise<T>,
  name?: string,
) => Promise<T[]>;

export interface Side {
  readonly columns: readonly Column[];
  /**
   * Calls `ask` with FROM items that hold all rows together, each of them some, in their order. Not at all for a table without parts. What it
   * answers is kept under `name` where there is one.
   */
  readonly each: <T>(ask: (source: string) => Promise<T>, name?: string) => Promise<T[]>;
}

/** Parts as a FROM item, their rows in order. */
export const sourceOf = (parts: readonly Pick<LocalPart, 'path'>[]): string =>
  `read_parquet(${listOf(parts.map(({ path }) => path))}, hive_partitioning = false)`;

export const sideOf = ({ columns, parts }: StoredTable, someAtATime: SomeAtATime): Side => ({
  columns,
  each: (ask, name) => someAtATime(parts, (some) => ask(sourceOf(some)), name),
});
