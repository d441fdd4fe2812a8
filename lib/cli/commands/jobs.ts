// Looking at jobs: the list with its filters, or one job with its timeline.
import * as z from 'zod';
import { type Context, printJson, printList, readList } from '../context.ts';
import { timeOf } from '../format.ts';
import { eventSchema, jobColumns, jobSchema, jobText, timelineText } from '../job-text.ts';

export interface JobsOptions {
  readonly status?: string;
  readonly kind?: string;
  readonly flow?: string;
  readonly attempts?: number;
  readonly since?: string;
  readonly until?: string;
  readonly parent?: string;
  readonly limit: number;
}

export async function listJobs(context: Context, options: JobsOptions): Promise<void> {
  const now = context.clock.now();
  const { status, kind, flow, attempts, parent, limit } = options;
  const since = options.since === undefined ? undefined : timeOf(options.since, now, -1);
  const until = options.until === undefined ? undefined : timeOf(options.until, now, -1);
  await printList(context, {
    path: '/v1/jobs',
    query: { status, kind, flow, attemptsGte: attempts, since, until, parentId: parent },
    limit,
    item: jobSchema,
    columns: jobColumns(now),
    none: 'No job passes.',
  });
}

const eventsSchema = z.array(eventSchema);
/** More than a life has, unless it waits in a loop. */
const MOST_EVENTS = 1000;

export async function showJob(context: Context, id: string): Promise<void> {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const [job, events] = await Promise.all([
    context.client.get(path),
    readList(context, `${path}/events`, {}, MOST_EVENTS),
  ]);
  const timeline = eventsSchema.parse(events.data);
  if (context.json) return printJson(context, { ...jobSchema.parse(job), events: timeline });
  const shown = jobSchema.parse(job);
  context.io.out(
    `${jobText(context.io, shown, context.clock.now())}\n\n${timelineText(context.io, timeline, shown)}\n`,
  );
  if (events.nextCursor !== null) context.io.err(`There are more than ${MOST_EVENTS} events; these are the oldest.\n`);
}
