// Flows, schedules and orphans: what holds jobs back, what starts them, and what is stuck.
import * as z from 'zod';
import { type Context, printJson, printList, tellUnreadable } from '../context.ts';
import { relative, shortDuration } from '../format.ts';
import { statusStyle } from '../io.ts';
import { renderTable } from '../table.ts';

const flowSchema = z.looseObject({
  flow: z.string(),
  state: z.string(),
  steps: z.number(),
  since: z.string(),
  parked: z.number(),
  parkedMore: z.boolean(),
  reason: z.string().optional(),
});

export async function listFlows(context: Context, limit: number): Promise<void> {
  const now = context.clock.now();
  await printList(context, {
    path: '/v1/flows',
    limit,
    item: flowSchema,
    columns: [
      { title: 'flow', text: ({ flow }) => flow, whole: true },
      { title: 'state', text: ({ state }) => state, style: ({ state }) => statusStyle(state), whole: true },
      { title: 'steps', text: ({ steps }) => (steps === 0 ? '' : String(steps)), right: true },
      { title: 'since', text: ({ since }) => relative(since, now), right: true },
      { title: 'parked', text: ({ parked, parkedMore }) => `${parked}${parkedMore ? '+' : ''}`, right: true },
      { title: 'reason', text: ({ reason }) => reason ?? '' },
    ],
    none: 'No job has named a flow yet.',
  });
}

const scheduleSchema = z.looseObject({
  id: z.string(),
  kind: z.string(),
  cron: z.string().optional(),
  everySeconds: z.number().optional(),
  timeZone: z.string().optional(),
  state: z.string(),
  nextAt: z.string().optional(),
  runs: z.array(z.looseObject({ at: z.string(), outcome: z.string() })),
});
type ScheduleText = z.output<typeof scheduleSchema>;

const timingOf = ({ cron, everySeconds = 0, timeZone }: ScheduleText): string =>
  [cron ?? `every ${shortDuration(everySeconds * 1000)}`, timeZone].filter(Boolean).join(' ');

const lastOf = ({ runs: [last] }: ScheduleText, now: number): string =>
  last === undefined ? '' : `${last.outcome} ${relative(last.at, now)}`;

export async function listSchedules(context: Context, limit: number): Promise<void> {
  const now = context.clock.now();
  await printList(context, {
    path: '/v1/schedules',
    limit,
    item: scheduleSchema,
    columns: [
      { title: 'schedule', text: ({ id }) => id, whole: true },
      { title: 'kind', text: ({ kind }) => kind },
      { title: 'state', text: ({ state }) => state, style: ({ state }) => statusStyle(state), whole: true },
      { title: 'when', text: timingOf },
      { title: 'next', text: ({ nextAt }) => (nextAt === undefined ? '' : relative(nextAt, now)), right: true },
      { title: 'last', text: (schedule) => lastOf(schedule, now) },
    ],
    none: 'There are no schedules.',
  });
}

export const showSchedule = async (context: Context, id: string): Promise<void> =>
  printJson(context, await context.client.get(`/v1/schedules/${encodeURIComponent(id)}`));

export async function putSchedule(context: Context, id: string, schedule: unknown): Promise<void> {
  printJson(context, await context.client.send('PUT', `/v1/schedules/${encodeURIComponent(id)}`, schedule));
}

export async function deleteSchedule(context: Context, id: string): Promise<void> {
  await context.client.send('DELETE', `/v1/schedules/${encodeURIComponent(id)}`);
  if (!context.json) context.io.out(`${id}  deleted\n`);
}

const orphansSchema = z.looseObject({
  complete: z.boolean(),
  unreadable: z.array(z.unknown()).default([]),
  classes: z.array(
    z.looseObject({
      class: z.string(),
      repair: z.string(),
      jobs: z.array(z.looseObject({ id: z.string(), kind: z.string(), since: z.string(), next: z.string() })),
    }),
  ),
});

export async function listOrphans(context: Context): Promise<void> {
  const now = context.clock.now();
  const answer = await context.client.get('/v1/orphans');
  if (context.json) return printJson(context, answer);
  const { classes, complete, unreadable } = orphansSchema.parse(answer);
  tellUnreadable(context, unreadable);
  const rows = classes.flatMap(({ jobs, class: name, repair }) => jobs.map((job) => ({ ...job, name, repair })));
  if (!complete) context.io.err('More is past due than one look reads.\n');
  if (rows.length + unreadable.length === 0) return context.io.err('Nothing is stuck.\n');
  if (rows.length === 0) return;
  const table = renderTable<(typeof rows)[number]>(
    context.io,
    [
      { title: 'class', text: ({ name }) => name, style: () => 'yellow', whole: true },
      { title: 'job', text: ({ id }) => id, whole: true },
      { title: 'kind', text: ({ kind }) => kind },
      { title: 'since', text: ({ since }) => relative(since, now), right: true },
      { title: 'next look', text: ({ next }) => relative(next, now), right: true },
      { title: 'repaired by', text: ({ repair }) => repair },
    ],
    rows,
  );
  context.io.out(`${table}\n`);
}
