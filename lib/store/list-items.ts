// A page of the rows of a range, each read by its schema.
import * as z from 'zod';
import type { Page, PageRequest } from '../job/ports.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Attributes, Items } from './items.ts';
import type { KeyRange } from './table.ts';

interface ListOptions {
  readonly order?: 'ascending' | 'descending';
  /** Leaves the other rows out, so that a page may be short or empty. */
  readonly only?: (row: Attributes) => boolean;
}

export async function listAll<T>(
  items: Items,
  range: KeyRange,
  schema: z.ZodType<T>,
  page: PageRequest,
  { order = 'ascending', only = () => true }: ListOptions = {},
): Promise<Page<T>> {
  const rest = page.cursor === undefined ? undefined : readCursor(z.string(), page.cursor);
  const after = rest === undefined ? undefined : range.prefix + rest;
  const { entries, more } = await items.page(range, { limit: page.limit, after, order });
  const last = entries.at(-1);
  return {
    items: entries.filter(({ attributes }) => only(attributes)).map((entry) => schema.parse(entry.attributes)),
    ...(more && last !== undefined && { cursor: writeCursor(last.key.sk.slice(range.prefix.length)) }),
  };
}
