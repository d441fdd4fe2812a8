// A job as callers see it: what it is, where it stands, and what it answered.
import * as z from 'zod';
import { Fault, type FaultCode, faultCatalogue } from '../core/fault.ts';
import type { JobId } from '../core/ids.ts';
import { type EpochMs, toIso } from '../core/time.ts';
import { type Job, toJob } from '../job/job.ts';
import { loadPayload } from '../job/payload.ts';
import { type JobError, type JobRow, laneSchema, progressSchema, refOf } from '../job/row.ts';
import { jobStatuses } from '../job/status.ts';
import { progressOfChildren } from '../job/waits/children-progress.ts';
import { waitingOf } from '../job/waits/waiting.ts';
import type { JobParts } from './deps.ts';
import { idSchema, isoTime } from './schemas.ts';

export const errorSchema = z.lazy(() =>
  z.strictObject({
    code: z.string().meta({ description: 'From the same catalogue as problems, where it is one of ours.' }),
    detail: z.string(),
    title: z.string().optional(),
    next: z.string().optional().meta({ description: 'What to do next.' }),
    retriable: z.boolean(),
    stage: z.string().optional(),
    fingerprint: z.string().optional().meta({ description: 'Names the group of failures of one cause.' }),
  }),
);

const waitingSchema = z
  .strictObject({
    reason: z.string().meta({
      description:
        'Queued: `worker`, `time`, `backoff`, `rate:<key>`, `late`. Parked: `flow:<name>`, `slot:<key>`, `signal:<name>`, `children`, `stage`, `no_handler:<kind>`. Running: `execution`, `cancel`, `lapsed`, `reclaimed`. Ended: `child`.',
    }),
    detail: z.string().meta({ description: 'The reason as a sentence.' }),
    since: isoTime,
    next: isoTime.optional().meta({ description: 'When somebody looks at it next, at the latest.' }),
  })
  .meta({ id: 'Waiting' });

export const jobSchema = z.lazy(() =>
  z
    .strictObject({
      id: idSchema<JobId>('job'),
      kind: z.string(),
      lane: laneSchema,
      status: z.enum(jobStatuses),
      version: z.int().meta({ description: 'Rises with each change that its events tell of.' }),
      epoch: z.int().meta({ description: 'Raised by each claim: (id, epoch) names one run.' }),
      flow: z.string().optional(),
      parentId: idSchema<JobId>('job').optional(),
      stage: z.string().optional().meta({ description: 'The last stage of a pipeline that was committed.' }),
      hold: z.string().optional().meta({ description: 'The stage before which the run parks; `*` for the next one.' }),
      progress: progressSchema.optional().meta({
        description:
          '`total` is 0 when it is unknown. In the answer for one job that waits for its children it counts these; lists have what it said before.',
      }),
      attempts: z.int().meta({ description: 'Runs that failed.' }),
      maxAttempts: z.int().meta({ description: 'With as many failed runs it is dead.' }),
      crashes: z.int().meta({ description: 'Runs whose worker died.' }),
      maxCrashes: z.int(),
      redrives: z.int().optional().meta({ description: 'How often it was given another life.' }),
      waiting: waitingSchema.optional().meta({ description: 'Absent while a worker has it, and once it has ended.' }),
      notBefore: isoTime.optional(),
      startBy: isoTime.optional(),
      deadline: isoTime.optional(),
      cancelRequested: z.string().optional().meta({ description: 'The reason given, while it still runs.' }),
      error: errorSchema.optional().meta({ description: 'Of the last attempt, or why the job ended.' }),
      warnings: z.int().optional().meta({ description: 'How many the result holds.' }),
      result: z
        .unknown()
        .optional()
        .meta({ description: 'What the handler answered; only in the answer for one job.' }),
      correlationId: z.string(),
      createdAt: isoTime,
      startedAt: isoTime.optional(),
      finishedAt: isoTime.optional(),
    })
    .meta({ id: 'Job' }),
);
type JobView = z.input<typeof jobSchema>;

const entryOf = (code: string) => (Object.hasOwn(faultCatalogue, code) ? faultCatalogue[code as FaultCode] : undefined);

export function errorView(error: JobError): z.input<typeof errorSchema> {
  const entry = entryOf(error.code);
  return { ...error, ...(entry && { title: entry.title, next: entry.next }) };
}

/** What was tried again while there were attempts is not any more. */
function endedBy(error: JobError): z.input<typeof errorSchema> {
  return { ...errorView(error), ...(error.retriable && { next: 'Repair the cause, then redrive the job.' }) };
}

/** What only some statuses have. */
function particulars(job: Job): Pick<JobView, 'cancelRequested' | 'error' | 'finishedAt'> {
  switch (job.status) {
    case 'queued':
    case 'parked':
      return { error: job.error && errorView(job.error) };
    case 'running':
      return { cancelRequested: job.cancelRequested, error: job.error && errorView(job.error) };
    case 'succeeded':
      return { finishedAt: toIso(job.finishedAt) };
    default:
      return { finishedAt: toIso(job.finishedAt), error: endedBy(job.error) };
  }
}

function waitingView(row: JobRow, now: EpochMs): JobView['waiting'] {
  const waiting = waitingOf(row, now);
  if (waiting === undefined) return undefined;
  const { reason, detail, since, next } = waiting;
  return { reason, detail, since: toIso(since), ...(next !== undefined && { next: toIso(next) }) };
}

/** Without the fields that are undefined, so that the answer has the fields that say something. */
const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** What lists show: everything but the result. */
export const jobView = (row: JobRow, now: EpochMs): JobView =>
  defined({
    id: row.id,
    kind: row.kind,
    lane: row.lane,
    status: row.status,
    version: row.version,
    epoch: row.epoch,
    flow: row.flow,
    parentId: row.parentId,
    stage: row.stage,
    hold: row.hold,
    progress: row.progress,
    attempts: row.attempts,
    maxAttempts: row.maxRetries + 1,
    crashes: row.crashes,
    maxCrashes: row.maxRevivals + 1,
    redrives: row.redrives,
    waiting: waitingView(row, now),
    notBefore: row.notBefore && toIso(row.notBefore),
    startBy: row.startBy && toIso(row.startBy),
    deadline: row.deadline && toIso(row.deadline),
    warnings: row.warnings,
    correlationId: row.correlationId,
    createdAt: toIso(row.createdAt),
    startedAt: row.startedAt && toIso(row.startedAt),
    ...particulars(toJob(row)),
  });

/** A result that cannot be read back is our mistake, whatever the payload's own code says of inputs. */
function unreadable(cause: unknown): never {
  throw cause instanceof Fault ? new Fault('INTERNAL', 'The result cannot be read back.', { cause }) : cause;
}

/** The job with its result, read from wherever it is kept; one that waits for its children is as far as they are. */
export async function wholeJobView(
  parts: Pick<JobParts, 'store' | 'objects' | 'clock'>,
  row: JobRow,
): Promise<JobView> {
  const progress = await progressOfChildren(parts, row);
  const view = { ...jobView(row, parts.clock.now()), ...(progress && { progress }) };
  if (row.status !== 'succeeded' || row.result === undefined) return view;
  return { ...view, result: await loadPayload(parts, refOf(row), row.result).catch(unreadable) };
}
