import * as z from 'zod';
import type { HttpDeps } from './deps.ts';
import type { Page, PageRequest, UnreadableRow } from '../job/ports.ts';
import { openCursor, sealCursor } from './cursor.ts';
import type { Caller } from './auth.ts';
import type { Reply } from './route.ts';

interface ListCall {
  readonly deps: Pick<HttpDeps, 'cursorSecret'>;
  readonly caller: Caller;
  readonly query: { readonly limit: number; readonly cursor?: string | undefined };
  readonly params?: unknown;
}

/** One page as `{data, nextCursor}`. `view` leaves an item out by answering undefined, so a page may be short or empty. */
export async function listReply<T>(
  call: ListCall,
  list: { name: string; read: (page: PageRequest) => Promise<Page<T>>; view: (item: T) => object | undefined },
): Promise<Reply> {
  const { limit, cursor, ...filter } = call.query;
  const { tenant, workspace } = call.caller;
  const owner = { scope: { tenant, workspace }, list: JSON.stringify([list.name, call.params, filter]) };
  const secret = await call.deps.cursorSecret();
  const page = await list.read({ limit, ...(cursor !== undefined && { cursor: openCursor(secret, owner, cursor) }) });
  const data = page.items.map(list.view).filter((item) => item !== undefined);
  const nextCursor = page.cursor === undefined ? null : sealCursor(secret, owner, page.cursor);
  return { status: 200, body: { data, nextCursor, ...unreadableView(page.unreadable) } };
}

export const nameQuery = {
  name: z.string().min(1).max(255).optional().meta({ description: 'The one that has this name, or none.' }),
};

/** The page that a point read makes. */
export const pageOfOne = <T>(item: T | undefined): Page<T> => ({ items: item === undefined ? [] : [item] });

/** Those that cannot be read, where there are any. */
export const unreadableView = (rows: readonly UnreadableRow[] = []) =>
  rows.length === 0 ? {} : { unreadable: rows.map((row) => ({ ...row, code: 'ROW_UNREADABLE' as const })) };
