// The job row as it is stored: one flat schema, parsed whenever a row comes out of a store. `Job` (job.ts) is its reading by status.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import type { Epoch, JobId, JobRef, OwnerToken, TenantId, WorkspaceId, WriteId } from '../core/ids.ts';
import type { EpochMs, EpochSeconds } from '../core/time.ts';
import { ROW_FORMAT } from '../rule/rule.ts';
import { jobStatuses } from './status.ts';

const branded = <T>() => z.custom<T>((value) => typeof value === 'string' && value !== '');
const time = z.custom<EpochMs>((value) => typeof value === 'number' && Number.isFinite(value));
const count = z.int().min(0);

/** Small JSON in the row itself, larger JSON in an item of its own, the rest in the object store. */
export const payloadRefSchema = z.union([
  z.strictObject({ inline: z.string() }),
  z.strictObject({ item: z.string(), sha256: z.string() }),
  z.strictObject({ object: z.string(), sha256: z.string() }),
]);
export type PayloadRef = z.infer<typeof payloadRefSchema>;

export const jobErrorSchema = z.strictObject({
  code: z.string(),
  detail: z.string(),
  retriable: z.boolean(),
  stage: z.string().optional(),
  /** Names the group of failures of one cause. */
  fingerprint: z.string().optional(),
});
/** Why the last attempt, or the job, did not work. */
export type JobError = z.infer<typeof jobErrorSchema>;

export const progressSchema = z.strictObject({ done: z.number(), total: z.number(), note: z.string() });
/** How far a running job is; `total` is 0 when unknown. */
export type Progress = z.infer<typeof progressSchema>;

export const heldBySchema = z.enum(['worker', 'execution']);
/** `worker`: a process with a heartbeat. `execution`: a pipeline between stages. */
export type HeldBy = z.infer<typeof heldBySchema>;
export const laneSchema = z.enum(['default', 'due']);
export type Lane = z.infer<typeof laneSchema>;

/** A limit that a job counts against while it runs: at most `limit` jobs hold a place under `key` at once. */
export const slotSchema = z.object({ key: z.string(), limit: z.number() });
export type Slot = z.infer<typeof slotSchema>;

/** At most `perMinute` starts a minute under `key`, of which `burst` may come at once. */
export const rateSchema = z.object({ key: z.string(), perMinute: z.number(), burst: z.number() });
export type Rate = z.infer<typeof rateSchema>;

/** Attributes that a later release wrote are read over: its rows pass through this one while it is being deployed. */
export const jobRowSchema = z.object({
  id: branded<JobId>(),
  tenant: branded<TenantId>(),
  workspace: branded<WorkspaceId>(),
  kind: z.string(),
  lane: laneSchema,
  status: z.enum(jobStatuses),
  /** The last loud rule that was applied. */
  rule: z.string(),
  /** Starts at `createdAt`; each loud rule adds 1. */
  version: z.number(),
  writeId: branded<WriteId>(),
  submitId: branded<WriteId>(),
  epoch: z.custom<Epoch>((value) => typeof value === 'number'),
  attempts: count,
  crashes: count,
  /** Attempts that may fail and still be tried again: the budget − 1. */
  maxRetries: count,
  /** Crashes that may happen and still be revived: the budget − 1. */
  maxRevivals: count,
  redrives: count.optional(),
  rearms: count.optional(),
  dueAt: time.optional(),
  notBefore: time.optional(),
  startBy: time.optional(),
  heldBy: heldBySchema.optional(),
  leaseUntil: time.optional(),
  leaseOwner: branded<OwnerToken>().optional(),
  /** The time, by the store's clock, of the last reap: no copy of one applies again, to whatever run. */
  reapedAt: time.optional(),
  cancelRequested: z.string().optional(),
  parked: z.string().optional(),
  /** When a parked job stops waiting, whether or not what it waits for has come. */
  parkedUntil: time.optional(),
  /** How many children must have ended before a job that is parked on them goes on. */
  awaits: count.optional(),
  /** The stage before which a pipeline parks, or `*` for the next one. */
  hold: z.string().optional(),
  flow: z.string().optional(),
  /** Set where a claim must pass something beside the row: a flow, slots, a rate or a guard. */
  gated: z.boolean().optional(),
  slots: z.array(slotSchema).optional(),
  rate: rateSchema.optional(),
  /** It has its token of the rate; the claim uses it up. */
  admitted: z.boolean().optional(),
  guardKey: z.string().optional(),
  guardValue: z.string().optional(),
  dedupKey: z.string().optional(),
  /** Of a kind that is the engine's own: its end is not announced. */
  internal: z.boolean().optional(),
  parentId: branded<JobId>().optional(),
  /** Of what was asked for under an idempotency key. */
  requestHash: z.string().optional(),
  /** Overall: it is not run, and does not go on, after this. */
  deadline: time.optional(),
  /** An operator has seen the failure and wants it listed no more. */
  discarded: z.boolean().optional(),
  /** The last committed stage of a pipeline. */
  stage: z.string().optional(),
  /** Object key of what the last committed stage returned. */
  stageOutput: z.string().optional(),
  /** JSON of where to go on inside a stage or a job. */
  cursor: z.string().optional(),
  /** How many checkpoints were committed; only rises. */
  cursorNo: count,
  progress: progressSchema.optional(),
  input: payloadRefSchema,
  result: payloadRefSchema.optional(),
  warnings: count.optional(),
  error: jobErrorSchema.optional(),
  owes: z.string().optional(),
  tombstone: z.boolean().optional(),
  correlationId: z.string(),
  traceparent: z.string().optional(),
  createdAt: time,
  startedAt: time.optional(),
  finishedAt: time.optional(),
  expiresAt: z.custom<EpochSeconds>((value) => typeof value === 'number').optional(),
  pipelineVersion: z.string().optional(),
  /** The row's format. */
  v: z.literal(ROW_FORMAT),
});
/** A job row as stored. Times are epoch ms, `expiresAt` epoch seconds. */
export type JobRow = z.infer<typeof jobRowSchema>;

const markSchema = z.object({ id: z.string(), v: z.unknown() });

/** Parses a stored row. Throws Fault ROW_UNREADABLE for what is none, or is of a format that this release does not know. */
export function parseJobRow(stored: unknown): JobRow {
  const row = jobRowSchema.safeParse(stored);
  if (row.success) return row.data;
  const mark = markSchema.safeParse(stored);
  const issue = row.error.issues[0];
  const place = (issue?.path ?? []).map(String).join('.');
  const why = place === 'v' ? `its format is ${JSON.stringify(mark.data?.v)}` : `${place}: ${issue?.message}`;
  throw new Fault('ROW_UNREADABLE', `The row of ${mark.data?.id ?? 'a job'}: ${why}.`, { cause: row.error });
}

export const refOf = (row: JobRow): JobRef => ({ tenant: row.tenant, workspace: row.workspace, id: row.id });
