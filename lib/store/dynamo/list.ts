// The job list: the list index is walked a day at a time, newest first, within a budget of reads; a page may be empty and have a
// cursor. It ends with the days in which something was found. The index holds keys, so a change of status costs it no write; rows are read by key and filtered here.
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { must } from '../../core/check.ts';
import type { JobId, Scope } from '../../core/ids.ts';
import { days, type EpochMs, earlier, epochMs, later, latest, minutes } from '../../core/time.ts';
import type { JobFilter, Page, PageRequest } from '../../job/ports.ts';
import type { Found } from '../../job/readable.ts';
import type { JobRow } from '../../job/row.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { isInTime, type ListPosition, listPositionSchema, pageOf, passesIfRead, positionOf } from '../job-list.ts';
import { dayOf, jobKey, jobOf, listKeyOf } from '../table.ts';
import { calling } from './call.ts';
import type { Table } from './client.ts';
import { getRows } from './get-rows.ts';

/** Queries of the index for one page; each reads a day, or a part of one. */
const QUERY_BUDGET = 60;
/** Days asked side by side. */
const SIDE_BY_SIDE = 10;
/** What a BatchGet takes. */
const ROWS_A_READ = 100;
/** No job is older than the project. */
const FIRST = epochMs(Date.UTC(2025, 0, 1));
/** The clock that wrote a row may be ahead of this one. */
const CLOCKS_DIFFER = minutes(5);

/** No day before the first, and none after the last, can hold a row that passes. */
const firstDayOf = ({ since }: JobFilter): string => dayOf(latest(since ?? FIRST, FIRST));
const lastDayOf = ({ until }: JobFilter, now: EpochMs): string => dayOf(epochMs(Math.min(until ?? now, now)));

interface DayPage {
  readonly keys: readonly { readonly id: JobId; readonly createdAt: EpochMs }[];
  readonly whole: boolean;
}

export async function listJobs(
  table: Table,
  { tenant, workspace }: Scope,
  filter: JobFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<JobRow>> {
  const scope = { tenant, workspace };
  const rows: Found[] = [];
  let at: ListPosition | undefined =
    cursor === undefined
      ? { day: lastDayOf(filter, later(table.clock.now(), CLOCKS_DIFFER)) }
      : readCursor(listPositionSchema, cursor);
  for (let spent = 0; at !== undefined && spent < QUERY_BUDGET; spent += SIDE_BY_SIDE) {
    const step: Step = await takeDays(table, scope, filter, at, limit - rows.length);
    rows.push(...step.rows);
    at = step.next;
    const endsInsideDay = at?.row !== undefined;
    if (rows.length >= limit || (rows.length > 0 && !endsInsideDay)) break;
  }
  return pageOf(rows, at && writeCursor(at));
}

interface Step {
  readonly rows: readonly Found[];
  /** Where to go on; undefined at the first day. */
  readonly next: ListPosition | undefined;
}

/** Reads some days side by side, then goes through them newest first until `wanted` rows have passed. */
async function takeDays(
  table: Table,
  scope: Scope,
  filter: JobFilter,
  at: ListPosition,
  wanted: number,
): Promise<Step> {
  const first = firstDayOf(filter);
  const places = daysFrom(at, first);
  const pages = await Promise.all(places.map((place) => queryDay(table, scope, place)));
  const rows: Found[] = [];
  for (const [index, place] of places.entries()) {
    const { keys, whole } = must(pages[index], 'a page a day');
    const inTime = keys.filter(({ createdAt }) => isInTime(filter, createdAt));
    const passed = (await getRows(table, scope, inTime)).filter((found) => passesIfRead(filter, found));
    rows.push(...passed.slice(0, wanted - rows.length));
    const last = keys.at(-1);
    if (rows.length === wanted) return { rows, next: placeIn(keys, rows.at(-1)) ?? dayBefore(place.day, first) };
    if (!whole && last !== undefined) return { rows, next: { day: place.day, row: { ...last } } };
  }
  return { rows, next: dayBefore(places.at(-1)?.day ?? first, first) };
}

function placeIn(keys: DayPage['keys'], found: Found | undefined): ListPosition | undefined {
  const id = found && ('unreadable' in found ? found.unreadable.id : found.row?.id);
  const key = keys.find((each) => each.id === id);
  return key && positionOf(key);
}

/** The rest of the day of `at` and the days before it. */
function daysFrom(at: ListPosition, first: string): ListPosition[] {
  const places: ListPosition[] = [];
  for (
    let place: ListPosition | undefined = at;
    place !== undefined && places.length < SIDE_BY_SIDE;
    place = dayBefore(place.day, first)
  )
    places.push(place);
  return places;
}

function dayBefore(day: string, first: string): ListPosition | undefined {
  return day <= first ? undefined : { day: dayOf(earlier(epochMs(Date.parse(day)), days(1))) };
}

const entrySchema = z.object({ pk: z.string(), createdAt: z.number() });

async function queryDay(table: Table, scope: Scope, { day, row }: ListPosition): Promise<DayPage> {
  const listKey = listKeyOf(scope, day);
  const query = new QueryCommand({
    TableName: table.name,
    IndexName: 'list',
    KeyConditionExpression: 'listKey = :listKey',
    ExpressionAttributeValues: { ':listKey': listKey },
    ExclusiveStartKey: row && { ...jobKey({ ...scope, id: row.id as JobId }), listKey, createdAt: row.createdAt },
    ScanIndexForward: false,
    Limit: ROWS_A_READ,
  });
  const { Items = [], LastEvaluatedKey } = await calling(() => table.documents.send(query));
  const keys = Items.map((item) => entrySchema.parse(item)).map(({ pk, createdAt }) => ({
    id: jobOf(pk).id,
    createdAt: epochMs(createdAt),
  }));
  return { keys, whole: LastEvaluatedKey === undefined };
}
