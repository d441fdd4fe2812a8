// How rows beside the job rows are stored: a schema each, parsed whenever a row comes out of a store.
import * as z from 'zod';
import type {
  DatasetId,
  Epoch,
  FileId,
  JobId,
  KeyId,
  SnapshotId,
  TableId,
  TenantId,
  UploadId,
  WorkspaceId,
} from '../core/ids.ts';
import type { EpochMs, EpochSeconds } from '../core/time.ts';
import { type ApiKeyRecord, scopes } from '../http/keys.ts';
import { readOptionsSchema } from '../ingest/options.ts';
import { partialPolicySchema } from '../ingest/policy.ts';
import type { Dataset, FileRecord, SnapshotRecord, TableRecord, Upload } from '../ingest/catalog.ts';
import type { Deletion, Standing } from '../ingest/deletion/ports.ts';
import type { TableRow } from '../ingest/catalog.ts';
import type { JobEvent } from '../job/ports.ts';
import { jobErrorSchema, progressSchema } from '../job/row.ts';
import { jobStatuses } from '../job/status.ts';

const text = <T extends string>() => z.custom<T>((value) => typeof value === 'string' && value !== '');
const number = <T extends number>() => z.custom<T>((value) => typeof value === 'number' && Number.isFinite(value));
const scope = { tenant: text<TenantId>(), workspace: text<WorkspaceId>() };
const createdAt = number<EpochMs>();

const deletionSchema: z.ZodType<Deletion> = z.lazy(() => z.object({ at: number<EpochMs>(), until: number<EpochMs>() }));
/** What the row of a table or a dataset says of its deletion. */
const deleted = { deletion: deletionSchema.optional(), purgedBy: text<JobId>().optional() };
export const standingSchema: z.ZodType<Standing> = z.lazy(() => z.object({ name: z.string(), ...deleted }));

export const datasetSchema: z.ZodType<Dataset> = z.lazy(() =>
  z.object({
    ...scope,
    id: text<DatasetId>(),
    name: z.string(),
    description: z.string().optional(),
    policy: partialPolicySchema.optional(),
    createdAt,
  }),
);

export const fileSchema: z.ZodType<FileRecord> = z.lazy(() =>
  z.object({
    ...scope,
    dataset: text<DatasetId>(),
    id: text<FileId>(),
    name: z.string(),
    size: z.int(),
    objectKey: z.string(),
    files: z.int().optional(),
    createdAt,
    tables: z.array(text<TableId>()).optional(),
  }),
);

/** `endsAt` is the upload's `expiresAt` in ms: the stored `expiresAt` is the time to live, in seconds. */
export const uploadSchema = z.lazy(() =>
  z
    .object({
      ...scope,
      dataset: text<DatasetId>(),
      id: text<UploadId>(),
      name: z.string(),
      size: z.int(),
      partSize: z.int(),
      partCount: z.int(),
      objectKey: z.string(),
      multipartId: z.string(),
      table: z.string().optional(),
      options: readOptionsSchema.optional(),
      mode: z.enum(['replace', 'append', 'upsert']).optional(),
      onConflict: z.enum(['supersede', 'refuse', 'queue']).optional(),
      keys: z.array(z.string()).optional(),
      createdAt,
      endsAt: number<EpochMs>(),
    })
    .transform(({ endsAt, ...rest }): Upload => ({ ...rest, expiresAt: endsAt })),
);

export const currentSchema = z.object({
  snapshot: text<SnapshotId>(),
  sequence: z.int(),
  manifest: z.string(),
  sources: z.array(z.object({ table: text<TableId>(), snapshot: text<SnapshotId>(), sequence: z.int() })).optional(),
});
export const tableRecordSchema: z.ZodType<TableRecord> = z.lazy(() =>
  z.object({
    ...scope,
    dataset: text<DatasetId>(),
    id: text<TableId>(),
    name: z.string(),
    createdAt,
    current: currentSchema.optional(),
  }),
);

/** Of any table; what a purge leaves has no name, and may be drawn from again. */
export const tableRowSchema: z.ZodType<TableRow> = z.lazy(() =>
  z.object({
    id: text<TableId>(),
    name: z.string().optional(),
    current: currentSchema.optional(),
    lastSequence: z.int(),
    ...deleted,
  }),
);

export const snapshotSchema: z.ZodType<SnapshotRecord> = z.lazy(() =>
  z.object({
    ...scope,
    dataset: text<DatasetId>(),
    table: text<TableId>(),
    id: text<SnapshotId>(),
    sequence: z.int(),
    status: z.enum(['PARTIAL', 'READY', 'SUPERSEDED']),
    job: text<JobId>(),
    manifest: z.string().optional(),
    rowCount: z.int(),
    columnCount: z.int(),
    hash: z.string().optional(),
    createdAt,
    publishedAt: number<EpochMs>().optional(),
    expiredAt: number<EpochMs>().optional(),
  }),
);
export const snapshotIdSchema = z.object({ sequence: z.int() });

export const apiKeySchema: z.ZodType<ApiKeyRecord> = z.lazy(() =>
  z.object({
    id: text<KeyId>(),
    ...scope,
    secretHash: z.string(),
    scopes: z.array(z.enum(scopes)),
    name: z.string(),
    createdAt,
    revokedAt: number<EpochMs>().optional(),
  }),
);

export const payloadSchema = z.object({ json: z.string() });

export const eventSchema: z.ZodType<JobEvent> = z.lazy(() =>
  z.object({
    ...scope,
    jobId: text<JobId>(),
    createdAt,
    version: z.number(),
    rule: z.string(),
    status: z.enum(jobStatuses),
    epoch: number<Epoch>(),
    at: number<EpochMs>(),
    appliedAt: number<EpochMs>().optional(),
    reason: z.string().optional(),
    notBefore: number<EpochMs>().optional(),
    lapsedAt: number<EpochMs>().optional(),
    stage: z.string().optional(),
    progress: progressSchema.optional(),
    error: jobErrorSchema.optional(),
    expiresAt: number<EpochSeconds>().optional(),
  }),
);
