// The job list of the embedded store: newest first, reading at most a budget of rows for one page.
import * as z from 'zod';
import type { Scope } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { JobFilter, Page, PageRequest } from '../../job/ports.ts';
import { type Found, foundBy } from '../../job/readable.ts';
import { type JobRow, parseJobRow } from '../../job/row.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { listPositionSchema, pageOf, passesIfRead, positionOf } from '../job-list.ts';
import { dayOf, jobKey, jobOf, listKeyOf, listPrefixOf } from '../table.ts';
import type { Database } from './database.ts';
import { parseBody } from './rows.ts';

/** Rows read for one page; a filter that lets few through may answer an empty page with a cursor. */
const ROW_BUDGET = 1000;
/** Sorts after every day. */
const AFTER_ALL_DAYS = ':';

const rowsBefore = `
  SELECT pk, createdAt, body FROM items
  WHERE listKey IS NOT NULL AND listKey >= ? AND (listKey, createdAt, pk) < (?, ?, ?)
  ORDER BY listKey DESC, createdAt DESC, pk DESC LIMIT ?`;

const placeSchema = z.object({ pk: z.string(), createdAt: z.custom<EpochMs>((at) => typeof at === 'number') });

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
  const listed: Found[] = [];
  let last: Pick<JobRow, 'createdAt' | 'id'> | undefined;
  let read = 0;
  for (const { body, ...place } of found) {
    if (listed.length === page.limit) break;
    const { pk, createdAt } = placeSchema.parse(place);
    last = { id: jobOf(pk).id, createdAt };
    read += 1;
    const each = foundBy(last, () => parseJobRow(parseBody(body)));
    if (passesIfRead(filter, each)) listed.push(each);
  }
  const more = read < found.length || found.length === budget;
  return pageOf(listed, more && last !== undefined ? writeCursor(positionOf(last)) : undefined);
}
