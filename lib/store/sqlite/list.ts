// The job list of the embedded store: newest first, reading at most a budget of rows for one page.
import * as z from 'zod';
import type { Scope } from '../../core/ids.ts';
import type { JobFilter, Page, PageRequest } from '../../job/ports.ts';
import { type JobRow, parseJobRow } from '../../job/row.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { listPositionSchema, passes, positionOf } from '../job-list.ts';
import { dayOf, jobKey, listKeyOf, listPrefixOf } from '../table.ts';
import type { Database } from './database.ts';
import { parseBody } from './rows.ts';

/** Rows read for one page; a filter that lets few through may answer an empty page with a cursor. */
const ROW_BUDGET = 1000;
/** Sorts after every day. */
const AFTER_ALL_DAYS = ':';

const rowsBefore = `
  SELECT body FROM items
  WHERE listKey IS NOT NULL AND listKey >= ? AND (listKey, createdAt, pk) < (?, ?, ?)
  ORDER BY listKey DESC, createdAt DESC, pk DESC LIMIT ?`;

type Place = [listKey: string, createdAt: number, pk: string];

function startOf(scope: Scope, { until }: JobFilter, cursor: string | undefined): Place {
  if (cursor === undefined && until !== undefined) return [listKeyOf(scope, dayOf(until)), until, ''];
  if (cursor === undefined) return [listPrefixOf(scope) + AFTER_ALL_DAYS, 0, ''];
  const { day, row } = readCursor(listPositionSchema, cursor);
  if (row === undefined) return [listKeyOf(scope, day), 0, ''];
  return [listKeyOf(scope, day), row.createdAt, jobKey({ ...scope, id: row.id as JobRow['id'] }).pk];
}

export function listJobs(db: Database, scope: Scope, filter: JobFilter, page: PageRequest): Page<JobRow> {
  const { tenant, workspace } = scope;
  const start = startOf({ tenant, workspace }, filter, page.cursor);
  const end = filter.since === undefined ? listPrefixOf(scope) : listKeyOf(scope, dayOf(filter.since));
  const budget = Math.max(ROW_BUDGET, page.limit + 1);
  const found = db.read(() => db.sql(rowsBefore).all(end, ...start, budget));
  const items: JobRow[] = [];
  let last: JobRow | undefined;
  let read = 0;
  for (const { body } of found) {
    if (items.length === page.limit) break;
    last = parseJobRow(parseBody(z.string().parse(body)));
    read += 1;
    if (passes(filter, last)) items.push(last);
  }
  const more = read < found.length || found.length === budget;
  return { items, ...(more && last !== undefined && { cursor: writeCursor(positionOf(last)) }) };
}
