// The same done to every job of a filter: at once where they are few, else by a job whose id is answered.
import * as z from 'zod';
import { epochMs } from '../../core/time.ts';
import {
  type BulkAction,
  type BulkEnd,
  type BulkFilter,
  type BulkOrder,
  bulkApply,
  bulkFilterSchema,
  bulkPage,
} from '../../job/dead/bulk.ts';
import { BULK_KIND, type BulkInput } from '../../job/dead/bulk-kind.ts';
import type { JobRow } from '../../job/row.ts';
import { submitJob } from '../../job/submit/submit.ts';
import type { HttpDeps } from '../deps.ts';
import { defineRoute, type Call, type Reply } from '../route.ts';
import { idSchema, isoTime } from '../schemas.ts';

/** So many are done within the request; a look ahead reads so many pages. */
const MOST_AT_ONCE = 100;
const MOST_PAGES = 50;
const SAMPLE = 10;

const time = isoTime
  .transform((text) => epochMs(Date.parse(text)))
  .meta({ override: { type: 'string', format: 'date-time' } });

const request = (times: string) =>
  z.lazy(() =>
    z.strictObject({
      filter: z
        .strictObject({
          ...bulkFilterSchema.unwrap().shape,
          since: time.optional(),
          until: time.optional(),
          ids: z.array(idSchema('job')).min(1).max(MOST_AT_ONCE).optional(),
        })
        .meta({
          description: `\`{}\` is every job. \`since\` and \`until\` are of the ${times}; \`stage\` is where it failed.`,
        }),
      dryRun: z.boolean().default(false).meta({ description: 'Only says which jobs they are.' }),
      limit: z.int().min(1).max(1_000_000).optional().meta({ description: 'The most jobs that it is done to.' }),
      reason: z.string().trim().min(1).max(500).optional(),
    }),
  );
const redriveRequest = z.lazy(() =>
  z.strictObject({
    ...request('end').unwrap().shape,
    ratePerSecond: z
      .number()
      .min(0.001)
      .max(1000)
      .optional()
      .meta({ description: 'They start one after another, so many a second; at once where left out.' }),
  }),
);

const skipped = z.lazy(() => z.strictObject({ id: z.string(), code: z.string(), detail: z.string() }));
const resultSchema = z.lazy(() =>
  z
    .strictObject({
      dryRun: z.boolean(),
      matched: z.int().meta({ description: 'Jobs found that it applies to, no more than `limit`.' }),
      complete: z.boolean().meta({ description: 'Whether there are no more than were looked at.' }),
      sample: z.array(z.string()).meta({ description: `Ids of the first ${SAMPLE}.` }),
      done: z.int().optional(),
      skipped: z.array(skipped).optional().meta({ description: 'Those that had moved on, and why.' }),
      jobId: z.string().optional().meta({ description: 'The job that does it; its result says how many were done.' }),
    })
    .meta({ id: 'BulkResult' }),
);

const answers = {
  200: { description: 'It is done, or was a dry run.', schema: resultSchema },
  202: { description: 'A job does it.', schema: resultSchema, headers: { Location: 'The job.' } },
};

type Body = z.output<typeof redriveRequest>;
type BulkCall = Pick<Call<unknown, unknown, Body, 'jobs:write'>, 'deps' | 'caller' | 'ids' | 'body'>;

/** `needed`: it may stop looking once it has found so many. */
async function lookAhead({ store }: Pick<HttpDeps, 'store'>, order: BulkOrder, needed: number) {
  const rows: JobRow[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && rows.length < needed; pages++) {
    const page = await bulkPage(store, order, { limit: 100, cursor });
    rows.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) return { rows, complete: true };
  }
  return { rows, complete: false };
}

const isSkipped = (end: BulkEnd): end is Extract<BulkEnd, { kind: 'skipped' }> => end.kind === 'skipped';

async function bulkReply(call: BulkCall, action: BulkAction): Promise<Reply> {
  const { deps, caller, body } = call;
  const { filter, dryRun, limit = Infinity, ratePerSecond, reason } = body;
  const now = deps.clock.now();
  const scope = { tenant: caller.tenant, workspace: caller.workspace };
  const order: BulkOrder = { scope, action, filter: until(filter, now), startAt: now, ratePerSecond, reason };
  const { rows, complete } = await lookAhead(deps, order, dryRun ? limit : Math.min(limit, MOST_AT_ONCE + 1));
  const found = rows.slice(0, limit);
  const told = {
    dryRun,
    matched: found.length,
    complete: complete && rows.length <= limit,
    sample: found.slice(0, SAMPLE).map(({ id }) => id),
  };
  if (dryRun) return { status: 200, body: told };
  const few = found.length <= MOST_AT_ONCE && (complete || found.length >= limit);
  if (!few) return later(call, { ...order, limit: body.limit }, told);
  const ends = await bulkApply(deps, order, found);
  const left = ends.filter(isSkipped).map(({ id, code, detail }) => ({ id, code, detail }));
  return { status: 200, body: { ...told, done: ends.length - left.length, skipped: left } };
}

/** What ends or is submitted from now on is not meant. */
const until = (filter: Body['filter'], now: number): BulkFilter => ({
  ...filter,
  until: Math.min(filter.until ?? Infinity, now + 1),
});

async function later(
  { deps, caller, ids }: BulkCall,
  { scope: _scope, ...order }: BulkOrder & Pick<BulkInput, 'limit'>,
  told: object,
): Promise<Reply> {
  const input = Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
  const { row } = await submitJob(deps, {
    scope: { tenant: caller.tenant, workspace: caller.workspace },
    kind: BULK_KIND,
    input,
    correlationId: ids.correlationId,
    ...(ids.traceparent !== undefined && { traceparent: ids.traceparent }),
  });
  return { status: 202, body: { ...told, jobId: row.id }, headers: { location: `/v1/jobs/${row.id}` } };
}

const redriveMany = defineRoute({
  method: 'POST',
  path: '/v1/dead/redrive',
  operationId: 'redriveJobs',
  summary: 'Give every job of a filter another life',
  description: 'Of those that failed or are dead; one that was cancelled or discarded only where `ids` names it.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { body: redriveRequest },
  answers,
  handle: (call) => bulkReply(call, 'redrive'),
});

const discardMany = defineRoute({
  method: 'POST',
  path: '/v1/dead/discard',
  operationId: 'discardJobs',
  summary: 'List every job of a filter among the failed no more',
  description: 'The jobs stay until they expire, and can be redriven by id.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { body: request('end') },
  answers,
  handle: (call) => bulkReply(call, 'discard'),
});

const cancelMany = defineRoute({
  method: 'POST',
  path: '/v1/jobs/cancel',
  operationId: 'cancelJobs',
  summary: 'Cancel every job of a filter',
  description: 'Of those that have not ended; `code`, `stage` and `fingerprint` are of the last attempt.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { body: request('submit') },
  answers,
  handle: (call) => bulkReply(call, 'cancel'),
});

export const bulkDeadRoutes = [redriveMany, discardMany];
export const bulkJobRoutes = [cancelMany];
