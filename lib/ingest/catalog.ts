// The rows that ingest keeps beside its jobs, and the port that stores implement. A snapshot's columns and profile are one immutable
// manifest object; rows only point at it, and only publishing (JobStore.publish) makes a snapshot visible.
import type { DatasetId, FileId, JobId, Scope, SnapshotId, TableId, UploadId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Page, PageRequest, TableVersion } from '../job/ports.ts';
import type { Deletable, Deletion, PurgedRow, Standing, StoredParts } from './deletion/ports.ts';
import type { Workspaces } from './deletion/workspace/ports.ts';
import type { IngestMode, OnConflict } from './modes.ts';
import type { ReadOptions } from './options.ts';
import type { PartialPolicy } from './policy.ts';

export interface Dataset extends Scope {
  /** Derived from workspace and name, so that a name is taken once by one conditional put. */
  readonly id: DatasetId;
  readonly name: string;
  readonly description?: string | undefined;
  /** Where it differs from `defaultPolicy`. */
  readonly policy?: PartialPolicy | undefined;
  readonly createdAt: EpochMs;
}

/** A file as it was received; its bytes are immutable at `objectKey`. */
export interface FileRecord extends Scope {
  readonly dataset: DatasetId;
  readonly id: FileId;
  /** As the caller named it. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly objectKey: string;
  /** Of a list of files that are one table together: how many; its bytes name them (`FileList`). */
  readonly files?: number | undefined;
  readonly createdAt: EpochMs;
  /** That an ingest has read from it; absent before the first, and in rows of release 0.1. */
  readonly tables?: readonly TableId[] | undefined;
}

/** A multipart upload under way. */
export interface Upload extends Scope {
  readonly dataset: DatasetId;
  readonly id: UploadId;
  readonly name: string;
  readonly size: number;
  readonly partSize: number;
  readonly partCount: number;
  readonly objectKey: string;
  /** The object store's own id of the multipart upload. */
  readonly multipartId: string;
  readonly createdAt: EpochMs;
  /** How its file is to be read. */
  readonly table?: string | undefined;
  readonly options?: ReadOptions | undefined;
  readonly mode?: IngestMode | undefined;
  readonly onConflict?: OnConflict | undefined;
  readonly keys?: string[] | undefined;
  /** Epoch ms; the presigned URLs and the row end then. */
  readonly expiresAt: EpochMs;
}

export interface TableRecord extends Scope {
  readonly dataset: DatasetId;
  readonly id: TableId;
  readonly name: string;
  readonly createdAt: EpochMs;
  /** The published snapshot; absent until the first publish. */
  readonly current?:
    | {
        readonly snapshot: SnapshotId;
        readonly sequence: number;
        readonly manifest: string;
        /** Of a derived table alone: what its rows were made of. */
        readonly sources?: readonly TableVersion[] | undefined;
      }
    | undefined;
}

export type SnapshotStatus = 'PARTIAL' | 'READY' | 'SUPERSEDED';
export interface SnapshotRecord extends Scope {
  readonly dataset: DatasetId;
  readonly table: TableId;
  readonly id: SnapshotId;
  readonly sequence: number;
  readonly status: SnapshotStatus;
  readonly job: JobId;
  /** Object key of its manifest; absent while PARTIAL: publishing sets it. */
  readonly manifest?: string | undefined;
  readonly rowCount: number;
  readonly columnCount: number;
  /** Of its columns' names and types (`snapshotHash`); absent in rows of release 0.1. */
  readonly hash?: string | undefined;
  readonly createdAt: EpochMs;
  /** Since when it is on its way out: for callers it is gone, and some time later so are its rows. */
  readonly expiredAt?: EpochMs | undefined;
  /** When it was published; absent while PARTIAL, and in rows of release 0.1. */
  readonly publishedAt?: EpochMs | undefined;
}

/** What a workspace stores: its files, and the parts that its snapshots name, each once. */
export interface Usage {
  /** Of both together. */
  readonly bytes: number;
  readonly fileBytes: number;
  readonly tableBytes: number;
  readonly version: number;
  /** When it was last counted from the rows; absent where it never was. */
  readonly countedAt?: EpochMs | undefined;
}

/** The row of any table of a dataset: published or not, deleted, or what a purge left. */
export interface TableRow extends Omit<Standing, 'name'> {
  readonly id: TableId;
  /** Absent where a purge left it. */
  readonly name?: string | undefined;
  readonly current?: TableRecord['current'];
  /** The last that was drawn. */
  readonly lastSequence: number;
}

/** What deletion needs. */
export interface Deletions {
  /** From this answer on callers see it no more, and nothing is published into it. `moved` where it is not what was read any more. */
  deleteTable(table: TableRecord, deletion: Deletion): Promise<'deleted' | 'moved'>;
  deleteDataset(dataset: Dataset, deletion: Deletion): Promise<'deleted' | 'moved'>;
  /** `moved` where it is not deleted, by another deletion, or held by a purge. */
  restore(thing: Deletable, deletion: Deletion): Promise<'restored' | 'moved'>;
  /** Undefined where there is none, or a purge has been done. */
  standingOf(thing: Deletable): Promise<Standing | undefined>;
  /** Lets a job take hold of what is deleted, from nobody or from the job that held it. `moved` where it is not as it was read any more. */
  holdForPurge(thing: Deletable, read: Standing, job: JobId): Promise<'held' | 'moved'>;
  /**
   * Ends the purge of the job that holds it: the name may be used anew, and what was drawn before is never published. A table keeps its
   * counter, so that no sequence comes twice, and nothing of an earlier life has a key of a later one. Its bytes are counted no more. Nothing
   * where the job holds it no more.
   */
  entomb(thing: Deletable, job: JobId, freed: StoredParts): Promise<void>;
  /** The same for a table of a dataset that is purged as a whole. `moved` where a sequence was drawn since its row was read. */
  entombTable(scope: Scope, dataset: DatasetId, row: TableRow): Promise<'entombed' | 'moved'>;
  /** Some rows of its snapshots, and of a dataset those of its files and uploads too; none where all are removed. */
  rowsToPurge(thing: Deletable): Promise<readonly PurgedRow[]>;
  removeRows(rows: readonly PurgedRow[]): Promise<void>;
  listDeletedTables(scope: Scope, dataset: DatasetId, page: PageRequest): Promise<Page<TableRecord & Standing>>;
  listDeletedDatasets(scope: Scope, page: PageRequest): Promise<Page<Dataset & Standing>>;
  listTableRows(scope: Scope, dataset: DatasetId, page: PageRequest): Promise<Page<TableRow>>;
  /** Those of a dataset that is deleted too. */
  listFiles(scope: Scope, dataset: DatasetId, page: PageRequest): Promise<Page<FileRecord>>;
  /**
   * Removes the row, and counts its bytes no more; its object is the caller's to delete. `moved` where other tables were read from it since,
   * or it is gone.
   */
  removeFile(file: FileRecord): Promise<'removed' | 'moved'>;
  /** Says which tables were read from a file; `moved` where that was changed since it was read, or the file is gone. */
  setFileTables(file: FileRecord, tables: readonly TableId[]): Promise<'changed' | 'moved'>;
}

/** What is deleted is not there for any of these, nor is what a deleted dataset holds. */
export interface Catalog extends Deletions, Workspaces {
  /** `exists` when the name is taken in its workspace, be it by a dataset that is deleted and not purged. */
  createDataset(dataset: Dataset): Promise<'created' | 'exists'>;
  getDataset(scope: Scope, id: DatasetId): Promise<Dataset | undefined>;
  /** Sets what is given of it; `gone` where there is no such dataset. */
  changeDataset(
    scope: Scope,
    id: DatasetId,
    set: Partial<Pick<Dataset, 'description' | 'policy'>>,
  ): Promise<'changed' | 'gone'>;
  listDatasets(scope: Scope, page: PageRequest): Promise<Page<Dataset>>;
  /**
   * Put-if-absent; its bytes are counted with it, and it is `full` where the workspace would then store more than `most`.
   * Throws the Fault GONE where the workspace is deleted.
   */
  putFile(file: FileRecord, most?: number): Promise<'created' | 'exists' | 'full'>;
  getUsage(scope: Scope): Promise<Usage>;
  /** Sets what was counted from the rows, if nothing was counted since `read`. */
  countUsage(
    scope: Scope,
    read: Usage,
    found: Pick<Usage, 'fileBytes' | 'tableBytes'> & { readonly at: EpochMs },
  ): Promise<'counted' | 'moved'>;
  getFile(scope: Scope, dataset: DatasetId, id: FileId): Promise<FileRecord | undefined>;
  putUpload(upload: Upload): Promise<void>;
  getUpload(scope: Scope, dataset: DatasetId, id: UploadId): Promise<Upload | undefined>;
  /** Makes the table's row if it is not there, and adds 1 to its counter: the next snapshot's sequence, from 1. Throws Fault GONE where the table is deleted. */
  drawSequence(scope: Scope, dataset: DatasetId, table: TableId, name: string, now: EpochMs): Promise<number>;
  getTable(scope: Scope, dataset: DatasetId, id: TableId): Promise<TableRecord | undefined>;
  listTables(scope: Scope, dataset: DatasetId, page: PageRequest): Promise<Page<TableRecord>>;
  /**
   * Lets the published snapshot of a table be told by another manifest, if it is told by `from` still: what passes find out later. Pointer
   * and snapshot change together; the rows are the same ones.
   */
  replaceManifest(
    table: TableRecord,
    replaced: { readonly from: NonNullable<TableRecord['current']>; readonly manifest: string },
  ): Promise<'replaced' | 'moved'>;
  /** Put-if-absent at (table, sequence), and at the id. */
  putSnapshot(snapshot: SnapshotRecord): Promise<'created' | 'exists'>;
  getSnapshot(scope: Scope, dataset: DatasetId, table: TableId, id: SnapshotId): Promise<SnapshotRecord | undefined>;
  /** `moved` where it has another status by now, or something else is published than `current`, which was read beside it. */
  expireSnapshot(snapshot: SnapshotRecord, current: TableRecord['current'], at: EpochMs): Promise<'expired' | 'moved'>;
  /** The same. `freed`: bytes of parts that only this snapshot names (lib/ingest/usage.ts), which are counted no more. */
  removeSnapshot(
    snapshot: SnapshotRecord,
    current: TableRecord['current'],
    freed: number,
  ): Promise<'removed' | 'moved'>;
  getSnapshotAt(
    scope: Scope,
    dataset: DatasetId,
    table: TableId,
    sequence: number,
  ): Promise<SnapshotRecord | undefined>;
  /** Newest first. */
  listSnapshots(scope: Scope, dataset: DatasetId, table: TableId, page: PageRequest): Promise<Page<SnapshotRecord>>;
}
