// The rows that ingest keeps beside its jobs, and the port that stores implement. A snapshot's columns and profile are one immutable
// manifest object; rows only point at it, and only publishing (JobStore.publish) makes a snapshot visible.
import * as z from 'zod';
import type { DatasetId, FileId, JobId, Scope, SnapshotId, TableId, UploadId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Page, PageRequest } from '../job/ports.ts';
import { typeChanges } from './drift/type-change.ts';
import type { IngestMode, OnConflict } from './modes.ts';
import { rejectsSchema } from './rejects/reject.ts';
import type { ReadOptions } from './options.ts';
import { columnTagSchema } from './pii/tags.ts';
import { semanticSchema } from './semantics/types.ts';
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
  readonly createdAt: EpochMs;
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
    | { readonly snapshot: SnapshotId; readonly sequence: number; readonly manifest: string }
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

const valueCount = z.strictObject({ value: z.string(), count: z.int() });
export const columnProfileSchema = z.lazy(() =>
  z.strictObject({
    nulls: z.int(),
    nullFraction: z.number(),
    distinct: z.int(),
    distinctIsExact: z.boolean(),
    min: z.string().nullable(),
    max: z.string().nullable(),
    topValues: z.array(valueCount),
    mean: z.number().optional().meta({ description: 'Of numbers that are all finite.' }),
    deviation: z.number().optional().meta({ description: 'Standard deviation of the sample.' }),
    lengths: z
      .strictObject({ min: z.int(), max: z.int(), mean: z.number() })
      .optional()
      .meta({ description: 'Characters of texts.' }),
    quantiles: z
      .array(z.strictObject({ at: z.number(), value: z.string() }))
      .readonly()
      .optional()
      .meta({ description: 'Of numbers and times: values of the column.' }),
    histogram: z
      .array(z.int())
      .readonly()
      .optional()
      .meta({ description: 'Rows in each of twenty bins of one width from `min` to `max`.' }),
    sampled: z.int().optional().meta({ description: 'Rows that quantiles and histogram are of; all, up to 10,000.' }),
  }),
);
/** What rules or a model say of a table or a column; what a person says goes before it. */
export const descriptionSchema = z.lazy(() =>
  z.strictObject({
    text: z.string(),
    source: z
      .enum(['rule', 'model'])
      .meta({ description: 'Made by rules of what was measured, or by a language model.' }),
  }),
);
export const warningSchema = z.lazy(() =>
  z.strictObject({
    code: z.string(),
    message: z.string(),
    table: z.string().optional(),
    column: z.string().optional(),
    row: z.int().optional(),
    count: z.int().optional(),
    example: z.string().optional(),
  }),
);
/** The file that a snapshot was read from, as it was received. */
export const sourceSchema = z.lazy(() =>
  z.strictObject({
    name: z.string(),
    format: z.string(),
    compression: z.string(),
    bytes: z.int(),
    sha256: z.string(),
    /** The key of its array, where the file held several tables or the array stood below a key. */
    key: z.string().optional(),
    /** The path of its file, where the file that was received is an archive of several; `format` is then of that. */
    entry: z.string().optional(),
    /** The sheet of a workbook. */
    sheet: z.string().optional(),
  }),
);
/** A Parquet object of a table. */
export const partSchema = z.lazy(() => z.strictObject({ key: z.string(), bytes: z.int(), rows: z.int() }));
export const renameSchema = z.lazy(() =>
  z.strictObject({
    from: z.string(),
    to: z.string(),
    score: z.number().meta({ description: 'From 0 to 1, of name, type, place and values.' }),
    reasons: z.array(z.string()),
  }),
);
/** Whole rows drawn by lot, of the columns that may be shown. */
export const sampleRowsSchema = z.lazy(() =>
  z.strictObject({ columns: z.array(z.string()), rows: z.array(z.array(z.string().nullable())) }),
);
/** Against the snapshot that was published when this one was reconciled. */
export const changesSchema = z.lazy(() =>
  z.strictObject({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    typeChanged: z.array(
      z.strictObject({
        column: z.string(),
        from: z.string(),
        to: z.string(),
        change: z.enum(typeChanges).optional().meta({
          description: '`widening`: what was there before fits; the others may break a query.',
        }),
      }),
    ),
    renamed: z.array(renameSchema).optional().meta({ description: 'Columns that came back under another name.' }),
    candidates: z
      .array(renameSchema)
      .optional()
      .meta({ description: 'Columns that may have: they stand among removed and added until somebody decides.' }),
    against: z
      .strictObject({ snapshot: z.string(), sequence: z.int() })
      .optional()
      .meta({ description: 'The snapshot that these columns were compared with; absent for the first.' }),
  }),
);
/** What a snapshot is: read back through this schema, since it outlives the code that wrote it. */
export const manifestSchema = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    table: z.string(),
    rowCount: z.int(),
    description: descriptionSchema.optional(),
    synonyms: z.array(z.string()).optional(),
    columns: z.array(
      z.strictObject({
        name: z.string(),
        type: z.string(),
        profile: columnProfileSchema.optional(),
        pii: columnTagSchema.optional(),
        semantic: semanticSchema.optional().meta({ description: 'What the column means, and how that was found.' }),
        description: descriptionSchema.optional(),
        synonyms: z.array(z.string()).optional(),
        samples: z.array(z.string()).optional().meta({ description: 'Some of its different values, drawn by lot.' }),
      }),
    ),
    sampleRows: sampleRowsSchema.optional(),
    /** In the order of the rows. */
    parts: z.array(partSchema),
    warnings: z.array(warningSchema),
    degraded: z.array(z.string()).optional().meta({
      description: 'Stages that failed, and that the policy of the dataset lets the table be published without.',
    }),
    indexed: z
      .literal(false)
      .optional()
      .meta({ description: 'Search finds nothing of the table: its stage was off, or failed.' }),
    /** Values that fit no type but text: how many, and where they are named. */
    rejects: rejectsSchema.optional(),
    source: sourceSchema,
    changes: changesSchema,
    added: z.strictObject({ to: z.string().optional(), rows: z.int(), replaced: z.int() }).optional().meta({
      description:
        'Where rows were added: the snapshot that they were added to, how many, and how many of its rows gave way.',
    }),
    /** Of the columns' names and types (`snapshotHash`). */
    hash: z.string().optional(),
    /** The snapshot whose rows these are, where it was rolled back to. */
    rolledBackTo: z.strictObject({ snapshot: z.string(), sequence: z.int() }).optional(),
  }),
);
export type Manifest = z.infer<typeof manifestSchema>;

export interface Catalog {
  /** `exists` when the name is taken in its workspace. */
  createDataset(dataset: Dataset): Promise<'created' | 'exists'>;
  getDataset(scope: Scope, id: DatasetId): Promise<Dataset | undefined>;
  /** Sets what is given of it; `gone` where there is no such dataset. */
  changeDataset(
    scope: Scope,
    id: DatasetId,
    set: Partial<Pick<Dataset, 'description' | 'policy'>>,
  ): Promise<'changed' | 'gone'>;
  listDatasets(scope: Scope, page: PageRequest): Promise<Page<Dataset>>;
  /** Put-if-absent. */
  putFile(file: FileRecord): Promise<'created' | 'exists'>;
  getFile(scope: Scope, dataset: DatasetId, id: FileId): Promise<FileRecord | undefined>;
  putUpload(upload: Upload): Promise<void>;
  getUpload(scope: Scope, dataset: DatasetId, id: UploadId): Promise<Upload | undefined>;
  /** Makes the table's row if it is not there, and adds 1 to its counter: the next snapshot's sequence, from 1. */
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
  /** `moved` where it has another status by now. */
  expireSnapshot(snapshot: SnapshotRecord, at: EpochMs): Promise<'expired' | 'moved'>;
  /** Nothing where it is gone. */
  removeSnapshot(snapshot: SnapshotRecord): Promise<void>;
  getSnapshotAt(
    scope: Scope,
    dataset: DatasetId,
    table: TableId,
    sequence: number,
  ): Promise<SnapshotRecord | undefined>;
  /** Newest first. */
  listSnapshots(scope: Scope, dataset: DatasetId, table: TableId, page: PageRequest): Promise<Page<SnapshotRecord>>;
}
