// Dead letters: failures in groups of one cause, and their jobs.
import * as z from 'zod';
import { type Context, printList } from '../context.ts';
import { relative } from '../format.ts';
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
      { title: 'first', text: ({ first }) => relative(first, now), right: true, wide: true },
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
