import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, TableId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import { MOST_OFFSET } from '../../ingest/search/search.ts';
import { mendIndexSoon } from '../../ingest/search/mend.ts';
import { fieldNames } from '../../ingest/search/entries.ts';
import { finders } from '../../ingest/search/shown.ts';
import { degradations } from '../../ingest/search/vectors/degraded.ts';
import { defineQueryRoute } from '../route.ts';
import { idSchema, isoTime, queryInt } from '../schemas.ts';

const LIMIT = { default: 20, most: 100 } as const;
const QUERY_LENGTH = 500;

const matchSchema = z.strictObject({
  field: z.enum(fieldNames as [string, ...string[]]),
  text: z.string().meta({ description: 'The text that matches; a long one is cut around its first match.' }),
  highlights: z
    .array(z.tuple([z.int(), z.int()]))
    .meta({ description: 'Where in `text`: from, to (not included), in UTF-16 units.' }),
});

const hitSchema = z
  .strictObject({
    type: z.enum(['table', 'column']),
    score: z.number().meta({ description: 'Orders the hits of one answer; it says nothing beyond that.' }),
    foundBy: z.array(z.enum(finders)).meta({
      description:
        '`text`: it has the words; `vector`: an embedding model takes it for near in meaning, and `matches` may be empty.',
    }),
    datasetId: idSchema<DatasetId>('ds'),
    table: z.strictObject({ id: idSchema<TableId>('tbl'), name: z.string() }),
    column: z.strictObject({ name: z.string(), type: z.string(), semanticType: z.string().optional() }).optional(),
    description: z.string().optional(),
    matches: z.array(matchSchema),
  })
  .meta({ id: 'SearchHit' });

const cursorOf = (offset: number): string => Buffer.from(`at ${offset}`).toString('base64url');

/** It needs no signature: it is a place in an answer that its caller may have anyway. */
function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, digits] = /^at (\d{1,4})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const offset = Number(digits);
  if (digits !== undefined && offset <= MOST_OFFSET) return offset;
  const error = { pointer: '#/query/cursor', detail: 'It is not a cursor of a search.' };
  throw new Fault('VALIDATION_FAILED', 'The cursor is not one that a search gave.', { errors: [error] });
}

export const searchRoute = defineQueryRoute({
  method: 'GET',
  path: '/v1/search',
  operationId: 'search',
  summary: 'Find tables and columns of the workspace',
  description:
    'Ranked: names, descriptions, synonyms, semantic types and samples of what is published; words may be cut short or misspelled a little. ' +
    'Where the deployment has an embedding model, what is near in meaning is found too.',
  access: 'datasets:read',
  servedBy: 'query',
  request: {
    query: z.strictObject({
      q: z.string().trim().min(1).max(QUERY_LENGTH).meta({ description: 'The words.' }),
      dataset: idSchema<DatasetId>('ds').optional(),
      table: idSchema<TableId>('tbl').optional(),
      kind: z.enum(['table', 'column']).optional().meta({ description: 'Only tables, or only columns.' }),
      type: z.string().min(1).max(100).optional().meta({ description: 'Only columns of this type, e.g. `DECIMAL`.' }),
      semanticType: z.string().min(1).max(100).optional().meta({ description: 'Only columns of this semantic type.' }),
      limit: queryInt(1, LIMIT.most)
        .default(LIMIT.default)
        .meta({ override: { type: 'integer', minimum: 1, maximum: LIMIT.most, default: LIMIT.default } }),
      cursor: z.string().min(1).max(100).optional().meta({ description: 'The `nextCursor` of the page before.' }),
    }),
  },
  answers: {
    200: {
      description: 'The best hits, best first.',
      schema: z.strictObject({
        data: z.array(hitSchema),
        nextCursor: z.string().nullable().meta({ description: 'Pass it as `cursor`; null at the end.' }),
        indexedAt: isoTime
          .nullable()
          .meta({ description: 'When the index last changed; null before the first publish.' }),
        ranking: z.enum(['text', 'fused']).meta({ description: '`fused`: by full text and by vectors.' }),
        degraded: z
          .enum(degradations)
          .nullable()
          .meta({
            description:
              'Why vectors do not count, or not for all: the `model` gave no answer in time, the `budget` of the month is used up, ' +
              'or `incomplete`: something is not embedded yet. Null too without an embedding model.',
          }),
        leftOut: z.int().meta({ description: 'Tables that found no room in the index of the workspace.' }),
      }),
    },
  },
  problems: ['INDEX_DAMAGED'],
  handle: async ({ deps, caller, query, ids }) => {
    if (!deps.search) throw new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');
    const { tenant, workspace } = caller;
    const { q, cursor, ...asked } = query;
    const scope = { tenant, workspace };
    const page = await deps.search({ scope, query: q, ...asked, offset: offsetOf(cursor) });
    if ('unreadable' in page) {
      await mendIndexSoon(deps, scope, page.unreadable, ids.correlationId);
      throw new Fault('INDEX_DAMAGED', 'A job makes it anew of what is published, which takes some seconds.');
    }
    const data = page.hits.map(({ dataset, ...hit }) => ({
      type: hit.column ? 'column' : 'table',
      datasetId: dataset,
      ...hit,
    }));
    const nextCursor = page.next === undefined ? null : cursorOf(page.next);
    const indexedAt = page.indexedAt === undefined ? null : toIso(page.indexedAt);
    const { ranking, degraded = null, leftOut } = page;
    return { status: 200, body: { data, nextCursor, indexedAt, ranking, degraded, leftOut } };
  },
});
