// What both stores share of the job list: where a page ends, and which rows a filter lets through.
import * as z from 'zod';
import type { EpochMs } from '../core/time.ts';
import type { JobFilter, Page } from '../job/ports.ts';
import { type Found, sortFound } from '../job/readable.ts';
import type { JobRow } from '../job/row.ts';
import { dayOf } from './table.ts';

/** The last place looked at: a row, or the end of a day. */
export const listPositionSchema = z.object({
  day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  row: z.object({ createdAt: z.number(), id: z.string() }).optional(),
});
export type ListPosition = z.infer<typeof listPositionSchema>;

export const positionOf = ({ createdAt, id }: Pick<JobRow, 'createdAt' | 'id'>): ListPosition => ({
  day: dayOf(createdAt),
  row: { createdAt, id },
});

export const isInTime = ({ since, until }: JobFilter, createdAt: EpochMs): boolean =>
  (since === undefined || createdAt >= since) && (until === undefined || createdAt < until);

export const pageOf = (found: readonly Found[], cursor: string | undefined): Page<JobRow> => {
  const { rows, unreadable } = sortFound(found);
  return {
    items: rows,
    ...(unreadable.length > 0 && { unreadable }),
    ...(cursor !== undefined && { cursor }),
  };
};

/** A row that cannot be read passes: who asks for failures wants to know that it may be one. */
export const passesIfRead = (filter: JobFilter, found: Found): boolean =>
  'unreadable' in found || (found.row !== undefined && passes(filter, found.row));

export const passes = (filter: JobFilter, row: JobRow): boolean =>
  (filter.status === undefined || row.status === filter.status) &&
  (filter.kind === undefined || row.kind === filter.kind) &&
  (filter.flow === undefined || row.flow === filter.flow) &&
  (filter.parentId === undefined || row.parentId === filter.parentId) &&
  (filter.attemptsGte === undefined || row.attempts >= filter.attemptsGte) &&
  isInTime(filter, row.createdAt);
