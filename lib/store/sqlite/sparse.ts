// The sparse indexes of the embedded store: parked jobs by reason, oldest first; failed and dead ones, latest first.
import * as z from 'zod';
import type { JobRef, Scope } from '../../core/ids.ts';
import type { Page, PageRequest } from '../../job/ports.ts';
import { foundBy } from '../../job/readable.ts';
import { type JobRow, parseJobRow } from '../../job/row.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { pageOf } from '../job-list.ts';
import { deadKeyOf, jobOf, parkKeyOf } from '../table.ts';
import type { Database } from './database.ts';
import { parseBody } from './rows.ts';

const positionSchema = z.tuple([z.number(), z.string()]);
const placeSchema = z.object({ pk: z.string(), at: z.number() });

export function parkedFor(db: Database, scope: Scope, reason: string, { limit, cursor }: PageRequest): Page<JobRef> {
  const from = cursor === undefined ? [0, ''] : readCursor(positionSchema, cursor);
  const found = db.read(() =>
    db
      .sql(
        `SELECT pk, createdAt AS at FROM items WHERE parkKey = ? AND (createdAt, pk) > (?, ?)
         ORDER BY createdAt, pk LIMIT ?`,
      )
      .all(parkKeyOf(scope, reason), ...from, limit + 1),
  );
  const places = found.slice(0, limit).map((row) => placeSchema.parse(row));
  return { items: places.map(({ pk }) => jobOf(pk)), ...next(found.length > limit, places.at(-1)) };
}

export function deadJobs(db: Database, scope: Scope, { limit, cursor }: PageRequest): Page<JobRow> {
  const from = cursor === undefined ? [Number.MAX_SAFE_INTEGER, ''] : readCursor(positionSchema, cursor);
  const found = db.read(() =>
    db
      .sql(
        `SELECT pk, finishedAt AS at, body FROM items WHERE deadKey = ? AND (finishedAt, pk) < (?, ?)
         ORDER BY finishedAt DESC, pk DESC LIMIT ?`,
      )
      .all(deadKeyOf(scope), ...from, limit + 1),
  );
  const page = found.slice(0, limit).map(({ body, ...place }) => ({ body, place: placeSchema.parse(place) }));
  const { cursor: after } = next(found.length > limit, page.at(-1)?.place);
  const listed = page.map(({ body, place }) => foundBy(jobOf(place.pk), () => parseJobRow(parseBody(body))));
  return pageOf(listed, after);
}

const next = (more: boolean, last: z.infer<typeof placeSchema> | undefined): { readonly cursor?: string } =>
  more && last !== undefined ? { cursor: writeCursor([last.at, last.pk]) } : {};
