// What every command is given, and what all of them do the same: find the service, page through lists, print JSON or a table.
import * as z from 'zod';
import type { CliEnvironment } from '../config/cli.ts';
import type { Clock } from '../core/time.ts';
import { type Client, createClient, type Query } from './client.ts';
import { CliFailure, exitCodes } from './failure.ts';
import { type Io, paint } from './io.ts';
import { type Column, renderTable } from './table.ts';

export interface Globals {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
}

export interface Context {
  readonly io: Io;
  readonly clock: Clock;
  readonly client: Client;
  readonly json: boolean;
  /** Sets how the command ends where it did what it was asked and the answer is bad news. */
  fail(): void;
}

export interface Outside {
  readonly io: Io;
  readonly clock: Clock;
  readonly environment: CliEnvironment;
}

/** Where `npm run dev` listens. */
const DEFAULT_URL = 'http://127.0.0.1:4620';

export function contextOf({ io, clock, environment }: Outside, { url, key, json }: Globals, fail: () => void): Context {
  const apiKey = key ?? environment.apiKey;
  if (apiKey === undefined)
    throw new CliFailure(
      exitCodes.usage,
      'No API key is given.',
      'Set MILLRACE_API_KEY or pass --key; npm run key makes one.',
    );
  const base = (url ?? environment.url ?? DEFAULT_URL).replace(/\/+$/, '');
  if (!URL.canParse(base)) throw new CliFailure(exitCodes.usage, `${base} is no URL.`);
  return { io, clock, client: createClient({ url: base, apiKey, signal: io.signal }), json: json === true, fail };
}

export const printJson = ({ io }: Pick<Context, 'io'>, value: unknown): void =>
  io.out(`${JSON.stringify(value, null, 2)}\n`);

const unreadableSchema = z.array(z.looseObject({ id: z.string(), code: z.string(), detail: z.string() })).default([]);
const pageSchema = z.looseObject({
  data: z.array(z.unknown()),
  nextCursor: z.string().nullable().default(null),
  unreadable: unreadableSchema,
});
type Unreadable = z.output<typeof unreadableSchema>;

/** Pages of a list until `limit` items are there. */
export async function readList({ client }: Context, path: string, query: Query, limit: number) {
  const data: unknown[] = [];
  const unreadable: Unreadable = [];
  let cursor: string | undefined;
  do {
    const page = pageSchema.parse(
      await client.get(path, { ...query, limit: Math.min(100, limit - data.length), cursor }),
    );
    data.push(...page.data);
    unreadable.push(...page.unreadable);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && data.length < limit);
  return { data, nextCursor: cursor ?? null, ...(unreadable.length > 0 && { unreadable }) };
}

export interface ListView<T> {
  readonly path: string;
  readonly query?: Query;
  readonly limit: number;
  readonly item: z.ZodType<T>;
  readonly columns: readonly Column<T>[];
  /** What an empty list says. */
  readonly none: string;
}

/** Jobs that the service itself cannot read: a line each beside the list. */
export function tellUnreadable({ io }: Pick<Context, 'io'>, rows: unknown): void {
  for (const { id, code, detail } of unreadableSchema.parse(rows))
    io.err(`${id}  ${paint(io, 'red', `${code}: ${detail}`)}\n`);
}

/** Prints a list as a table, or as the service answered it. */
export async function printList<T>(context: Context, list: ListView<T>): Promise<void> {
  const page = await readList(context, list.path, list.query ?? {}, list.limit);
  if (context.json) return printJson(context, page);
  tellUnreadable(context, page.unreadable);
  const items = page.data.map((item) => list.item.parse(item));
  if (items.length === 0) return context.io.err(`${list.none}\n`);
  context.io.out(`${renderTable(context.io, list.columns, items)}\n`);
  if (page.nextCursor !== null) context.io.err(`There are more; --limit shows them.\n`);
}
