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
  readonly group?: string;
  readonly kind?: string;
  readonly code?: string;
  readonly flow?: string;
  readonly since?: string;
  readonly until?: string;
  readonly dryRun?: boolean;
  readonly limit?: number;
  readonly rate?: number;
}

/** Redrives or discards every failed job that passes the filter, or counts them. */
export async function actOnDead(context: Context, verb: 'redrive' | 'discard', options: DeadFilter): Promise<void> {
  const now = context.clock.now();
  const { group, kind, code, flow, since, until } = options;
  const filter = {
    ...{ fingerprint: group, kind, code, flow },
    since: since === undefined ? undefined : timeOf(since, now, -1),
    until: until === undefined ? undefined : timeOf(until, now, -1),
  };
  const rate = verb === 'redrive' ? { ratePerSecond: options.rate } : {};
  const body = { filter, dryRun: options.dryRun === true, limit: options.limit, ...rate };
  const answer = await context.client.send('POST', `/v1/dead/${verb}`, body);
  if (context.json) return printJson(context, answer);
  const counts = z.record(z.string(), z.unknown()).parse(answer ?? {});
  const told = Object.entries(counts).filter(([, value]) => typeof value === 'number' || typeof value === 'boolean');
  context.io.out(`${told.map(([name, value]) => `${paint(context.io, 'dim', name)} ${String(value)}`).join('  ')}\n`);
}
