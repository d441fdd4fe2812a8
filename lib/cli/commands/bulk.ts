// The same done to every job of a filter: failed ones redriven or discarded, those that have not ended cancelled.
import * as z from 'zod';
import { type Context, printJson } from '../context.ts';
import { CliFailure, exitCodes } from '../failure.ts';
import { timeOf } from '../format.ts';
import { paint } from '../io.ts';

export interface BulkOptions {
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
  /** Every job is meant where no filter is given. */
  readonly yes?: boolean;
}

type BulkVerb = keyof typeof verbs;

const verbs = {
  redrive: { path: '/v1/dead/redrive', past: 'redriven' },
  discard: { path: '/v1/dead/discard', past: 'discarded' },
  cancel: { path: '/v1/jobs/cancel', past: 'cancelled' },
} as const;

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

const everyJob = (verb: BulkVerb): CliFailure =>
  new CliFailure(
    exitCodes.usage,
    `Without a filter, every job that ${verb === 'cancel' ? 'has not ended' : 'failed'} is ${verbs[verb].past}.`,
    'Name a filter such as --kind, count them with --dry-run, or say --yes.',
  );

/** Does it to every job that passes the filter, or counts them. */
export async function actOnMany(context: Context, verb: BulkVerb, options: BulkOptions): Promise<void> {
  const now = context.clock.now();
  const { ids, group, kind, code, stage, flow, since, until, limit, rate, reason } = options;
  const filter = {
    ...{ ids, fingerprint: group, kind, code, stage, flow },
    since: since === undefined ? undefined : timeOf(since, now, -1),
    until: until === undefined ? undefined : timeOf(until, now, -1),
  };
  const isOpen = Object.values(filter).every((value) => value === undefined);
  if (isOpen && options.dryRun !== true && options.yes !== true) throw everyJob(verb);
  const body = { filter, dryRun: options.dryRun === true, limit, ratePerSecond: rate, reason };
  const answer = await context.client.send('POST', verbs[verb].path, body);
  const bulk = bulkSchema.parse(answer);
  if ((bulk.skipped ?? []).length > 0) context.fail();
  if (context.json) printJson(context, answer);
  else context.io.out(bulkText(context, verb, bulk));
}

function bulkText(
  { io }: Context,
  verb: BulkVerb,
  { dryRun, matched, complete, sample, done, skipped = [], jobId }: Bulk,
): string {
  const count = `${matched}${complete ? '' : ' or more'}`;
  if (dryRun) return `${count} would be ${verbs[verb].past}\n${sample.map((id) => `${id}\n`).join('')}`;
  if (jobId !== undefined) return `${count} found; ${jobId} does it\n`;
  const left = skipped.map(({ id, code, detail }) => `${id}  ${paint(io, 'red', `${code}: ${detail}`)}\n`);
  return `${done ?? 0} of ${count} done\n${left.join('')}`;
}
