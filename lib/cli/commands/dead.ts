// Dead letters: failures in groups of one cause, their jobs, and what is to become of them.
import * as z from 'zod';
import { type Context, printJson, printList } from '../context.ts';
import { relative, timeOf } from '../format.ts';
import { paint } from '../io.ts';
import { jobColumns, jobSchema } from '../job-text.ts';

const groupSchema = z.looseObject({
  fingerprint: z.string(),
  kind: z.string(),
  code: z.string(),
  stage: z.string().optional(),
  message: z.string(),
  count: z.number(),
  first: z.string(),
  last: z.string(),
});

export async function listGroups(context: Context, limit: number): Promise<void> {
  const now = context.clock.now();
  await printList(context, {
    path: '/v1/dead/groups',
    limit,
    item: groupSchema,
    columns: [
      { title: 'group', text: ({ fingerprint }) => fingerprint, whole: true },
      { title: 'jobs', text: ({ count }) => String(count), right: true, whole: true },
      { title: 'kind', text: ({ kind }) => kind },
      { title: 'stage', text: ({ stage }) => stage ?? '' },
      { title: 'code', text: ({ code }) => code, style: () => 'red' },
      { title: 'first', text: ({ first }) => relative(first, now), right: true },
      { title: 'last', text: ({ last }) => relative(last, now), right: true },
      { title: 'message', text: ({ message }) => message },
    ],
    none: 'There are no failed jobs.',
  });
}

export const listGroup = (context: Context, fingerprint: string, limit: number): Promise<void> =>
  printList(context, {
    path: `/v1/dead/groups/${encodeURIComponent(fingerprint)}/jobs`,
    limit,
    item: jobSchema,
    columns: jobColumns(context.clock.now()),
    none: 'There is no failed job of this group.',
  });

export interface DeadFilter {
  readonly ids?: readonly string[];
  readonly group?: string;
  readonly kind?: string;
  readonly code?: string;
  readonly stage?: string;
  readonly flow?: string;
  readonly since?: string;
  readonly until?: string;
  readonly dryRun?: boolean;
  readonly limit?: number;
  readonly rate?: number;
  readonly reason?: string;
}

const bulkSchema = z.looseObject({
  dryRun: z.boolean(),
  matched: z.number(),
  complete: z.boolean(),
  sample: z.array(z.string()),
  done: z.number().optional(),
  skipped: z.array(z.looseObject({ id: z.string(), code: z.string(), detail: z.string() })).optional(),
  jobId: z.string().optional(),
});
type Bulk = z.output<typeof bulkSchema>;

/** Redrives or discards every failed job that passes the filter, or counts them. */
export async function actOnDead(context: Context, verb: 'redrive' | 'discard', options: DeadFilter): Promise<void> {
  const now = context.clock.now();
  const { ids, group, kind, code, stage, flow, since, until, limit, rate, reason } = options;
  const filter = {
    ...{ ids, fingerprint: group, kind, code, stage, flow },
    since: since === undefined ? undefined : timeOf(since, now, -1),
    until: until === undefined ? undefined : timeOf(until, now, -1),
  };
  const body = { filter, dryRun: options.dryRun === true, limit, ratePerSecond: rate, reason };
  const answer = await context.client.send('POST', `/v1/dead/${verb}`, body);
  const bulk = bulkSchema.parse(answer);
  if ((bulk.skipped ?? []).length > 0) context.fail();
  if (context.json) printJson(context, answer);
  else context.io.out(bulkText(context, verb, bulk));
}

function bulkText(
  { io }: Context,
  verb: string,
  { dryRun, matched, complete, sample, done, skipped = [], jobId }: Bulk,
): string {
  const count = `${matched}${complete ? '' : ' or more'}`;
  if (dryRun)
    return `${count} would be ${verb === 'redrive' ? 'redriven' : 'discarded'}\n${sample.map((id) => `${id}\n`).join('')}`;
  if (jobId !== undefined) return `${count} found; ${jobId} does it\n`;
  const left = skipped.map(({ id, code, detail }) => `${id}  ${paint(io, 'red', `${code}: ${detail}`)}\n`);
  return `${done ?? 0} of ${count} done\n${left.join('')}`;
}
