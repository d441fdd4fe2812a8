// What deletion needs of the catalogue. A table or a dataset that is deleted is gone for every other read of it; its rows say since when, so
// that it can be restored, until a purge takes hold of them. What a purge leaves is a row that says nothing but that ids were used before.
import type { Brand } from '../../core/brand.ts';
import type { DatasetId, JobId, Scope, TableId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';

export interface Deletion {
  readonly at: EpochMs;
  /** Until when it can be restored: then it is purged. */
  readonly until: EpochMs;
}

/** A table; the dataset as a whole where none is named. */
export interface Deletable extends Scope {
  readonly dataset: DatasetId;
  readonly table?: TableId | undefined;
}

/** How a table or a dataset stands, whether callers see it or not. */
export interface Standing {
  readonly name: string;
  readonly deletion?: Deletion | undefined;
  /** The purge that has taken hold of it: there is no way back. */
  readonly purgedBy?: JobId | undefined;
}

/** Bytes that are counted as stored in a workspace. */
export interface StoredParts {
  readonly fileBytes: number;
  readonly tableBytes: number;
}

/** A row of the store, which knows what it is. */
export type PurgedRow = Brand<object, 'PurgedRow'>;
