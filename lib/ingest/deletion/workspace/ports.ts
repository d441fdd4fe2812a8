// What the deletion of a whole workspace needs of the catalogue. Two rows change together: one that says how the workspace ends, and a mark where
// what it stores is counted, by which no file is taken and nothing is published from then on.
import type { JobId, KeyId, Scope } from '../../../core/ids.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { WorkspaceEnd } from '../../../job/dead/workspaces.ts';
import type { Deletion, PurgedRow } from '../ports.ts';

/** What a row is of, as far as a purge counts it. */
export type RowKind = 'dataset' | 'table' | 'file' | 'job' | 'key' | 'usage' | 'other';

export interface WorkspaceRow {
  readonly kind: RowKind;
  readonly row: PurgedRow;
}

export interface Workspaces {
  /** Undefined for a workspace that nobody deleted. */
  workspaceEnd(scope: Scope): Promise<WorkspaceEnd | undefined>;
  /** `moved` where it is deleted already. */
  deleteWorkspace(scope: Scope, deletion: Deletion): Promise<'deleted' | 'moved'>;
  /** `moved` where it is not deleted, by another deletion, or held by a purge. */
  restoreWorkspace(scope: Scope, deletion: Pick<Deletion, 'at'>): Promise<'restored' | 'moved'>;
  /** Lets a job take hold of it, from nobody or from the job that held it. `moved` where it does not end as it was read any more. */
  holdWorkspace(scope: Scope, read: WorkspaceEnd, job: JobId): Promise<'held' | 'moved'>;
  /** Says that nothing is left. Nothing where the job holds it no more. */
  closeWorkspace(scope: Scope, job: JobId, at: EpochMs): Promise<void>;
  /** Some of its rows, in any order, by reading through everything that is stored: a page may be empty. */
  rowsOfWorkspace(
    scope: Scope,
    after?: string,
  ): Promise<{ readonly rows: readonly WorkspaceRow[]; readonly after?: string }>;
  /** Some of its API keys; none where all are removed. Those that release 0.1 made are not found. */
  keysOfWorkspace(scope: Scope): Promise<readonly KeyId[]>;
  removeKey(scope: Scope, key: KeyId): Promise<void>;
  /** Nothing is counted as stored any more; the mark stays. */
  clearUsage(scope: Scope): Promise<void>;
}
