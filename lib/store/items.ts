// What both stores can do with rows that are no job rows. The catalogue, keys, payloads and events are written once, over this.
import type { Key, KeyRange } from './table.ts';

export type Attributes = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly key: Key;
  readonly attributes: Attributes;
}

/** Of one row, which has to be there with the values of `test`; undefined: without that attribute. */
export interface Change {
  readonly key: Key;
  readonly test: Attributes;
  /** An attribute that is set to undefined is removed. Nothing is written where it is left out: then the row is tested only. */
  readonly set?: Attributes | undefined;
  /** The row is removed. */
  readonly removes?: true;
}

/** Numbers of a row that many writers raise and lower; a row that is not there has none yet. */
export interface Tally {
  readonly key: Key;
  /** What each becomes larger by; a negative number lowers it. */
  readonly add: Readonly<Record<string, number>>;
  /** No number that is raised may become larger than what stands here. */
  readonly most?: Readonly<Record<string, number | undefined>> | undefined;
  /** Nothing is counted while this number of the row is above 0. */
  readonly unless?: string | undefined;
}

/** Some of what was asked for; `after` goes on behind it, where there may be more. */
export interface Walked {
  readonly entries: readonly Entry[];
  readonly after?: string;
}

export interface ItemPage {
  readonly entries: readonly Entry[];
  /** Whether there may be more after the last entry. */
  readonly more: boolean;
}

export interface Items {
  /** Strongly consistent. */
  get(key: Key): Promise<Attributes | undefined>;
  /** Replaces what is there. */
  put(entry: Entry): Promise<void>;
  /** Nothing where it is gone. */
  remove(key: Key): Promise<void>;
  /** Makes all of the changes, or none where one of the rows does not pass its test. */
  change(...changes: readonly Change[]): Promise<'changed' | 'refused'>;
  /** Removes the row where it is there and has the values of `test`. */
  removeWhere(key: Key, test: Attributes): Promise<'removed' | 'refused'>;
  /** Writes all, or none when one of them is there already. */
  putNew(...entries: readonly Entry[]): Promise<'created' | 'exists'>;
  /** Writes each that is absent, by itself; answers in the order given. `unanswered`: not known, so write it again. */
  putEachNew(entries: readonly Entry[]): Promise<readonly ('created' | 'exists' | 'unanswered')[]>;
  /**
   * Counts together with new rows and changes: all of it, or nothing. `refused` where a new row is there already or a row does not pass its test;
   * `full` where a number would be too large, `barred` where `unless` says so. A tally that adds nothing only tests.
   */
  count(
    tally: Tally,
    beside: { readonly put?: readonly Entry[]; readonly changes?: readonly Change[] },
  ): Promise<'counted' | 'refused' | 'full' | 'barred'>;
  /**
   * Every row whose partition begins with `prefix`, in any order: keys and names alone. Reads through all that is stored, whosever it is, so
   * that a page may be empty; what was written a moment ago may be missing.
   */
  walk(prefix: string, after?: string): Promise<Walked>;
  /** Strongly consistent; `after` is the sort key to go on from. */
  page(
    range: KeyRange,
    options: {
      readonly limit: number;
      readonly after?: string | undefined;
      readonly order: 'ascending' | 'descending';
    },
  ): Promise<ItemPage>;
  /**
   * Adds 1 to a counter of the row and answers it, from 1; a row that is not there starts as `fresh`. Refused where the row has the
   * attribute `unless`.
   */
  draw(key: Key, counter: string, fresh: Attributes, unless: string): Promise<number | 'refused'>;
}
