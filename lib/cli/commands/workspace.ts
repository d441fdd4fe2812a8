// The workspace of the key: how it stands, its deletion, and its purge.
import * as z from 'zod';
import { type Context, printJson } from '../context.ts';
import { paint, statusStyle } from '../io.ts';

const workspaceSchema = z.looseObject({
  tenant: z.string(),
  workspace: z.string(),
  state: z.string(),
  restorableUntil: z.string().optional(),
  purgedAt: z.string().optional(),
});

const jobSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  result: z.record(z.string(), z.unknown()).optional(),
});

const PATH = '/v1/workspace';

function printWorkspace(context: Context, answer: unknown): void {
  if (context.json) return printJson(context, answer);
  const { tenant, workspace, state, restorableUntil, purgedAt } = workspaceSchema.parse(answer);
  const until =
    state === 'deleted' && restorableUntil !== undefined ? `, can be restored until ${restorableUntil}` : '';
  const since = purgedAt === undefined ? '' : ` since ${purgedAt}`;
  context.io.out(`${tenant}/${workspace}  ${state}${until}${since}\n`);
}

export const showWorkspace = async (context: Context): Promise<void> =>
  printWorkspace(context, await context.client.get(PATH));

export const deleteWorkspace = async (context: Context): Promise<void> =>
  printWorkspace(context, await context.client.send('DELETE', PATH));

export const restoreWorkspace = async (context: Context): Promise<void> =>
  printWorkspace(context, await context.client.send('POST', `${PATH}/restore`));

/** What a purge is asked for, or the count that it begins with; waits a little for its end. */
export async function purgeWorkspace(context: Context, asked: { confirm: string } | { dryRun: true }): Promise<void> {
  printPurge(context, await context.client.send('POST', `${PATH}/purge`, asked, { prefer: 'wait=20' }));
}

export const showPurge = async (context: Context, job: string): Promise<void> =>
  printPurge(context, await context.client.get(`${PATH}/purges/${encodeURIComponent(job)}`));

function printPurge(context: Context, answer: unknown): void {
  if (context.json) return printJson(context, answer);
  const { id, status, result = {} } = jobSchema.parse(answer);
  const counts = Object.entries(result).filter((each): each is [string, number] => typeof each[1] === 'number');
  const text = counts.map(([name, count]) => `  ${name} ${count.toLocaleString('en')}\n`).join('');
  context.io.out(`${id}  ${paint(context.io, statusStyle(status), status)}\n${text}`);
}
