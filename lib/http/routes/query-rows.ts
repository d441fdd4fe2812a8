// The rows of a query that ran as a job, a page at a time.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { toIso } from '../../core/time.ts';
import { rowsAt } from '../../ingest/query-pages.ts';
import { pageQuery } from '../query-schemas.ts';
import { defineRoute } from '../route.ts';
import { isoTime } from '../schemas.ts';
import { queryIdParams, queryRow, resultColumns, resultOf } from '../query-job-view.ts';

/** Bytes of the rows of one page: an answer of the function holds 6 MB. */
const PAGE_BYTES = 4_000_000;

/** A place in the rows of one query; it needs no signature, since it names rows that its caller may read anyway. */
function placeIn(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, digits] = /^row (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (digits !== undefined) return Number(digits);
  const error = { pointer: '#/query/cursor', detail: 'It is not a cursor of this query.' };
  throw new Fault('VALIDATION_FAILED', 'The cursor is not one that this query gave.', { errors: [error] });
}

export const getQueryRows = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/queries/{queryId}/rows',
  operationId: 'getQueryRows',
  summary: 'Get the rows of a query that was asked for as pages',
  access: 'query',
  servedBy: 'api',
  request: { params: queryIdParams, query: pageQuery.extend({ cursor: pageQuery.shape.cursor.optional() }) },
  answers: {
    200: {
      description: 'A page of rows.',
      schema: z.strictObject({
        columns: resultColumns,
        rows: z.array(z.array(z.unknown())),
        rowCount: z.int(),
        totalRows: z.int(),
        nextCursor: z.string().nullable(),
        expiresAt: isoTime,
      }),
    },
  },
  problems: ['CONFLICT', 'RESULT_TOO_LARGE'],
  handle: async ({ deps, caller, params, query: { limit, cursor } }) => {
    const { row, input } = await queryRow(deps, caller, params);
    if (input.format !== 'pages')
      throw new Fault('CONFLICT', `Its rows are a file of the format ${input.format}, and not kept as pages.`);
    if (row.status !== 'succeeded') throw new Fault('CONFLICT', `The query is ${row.status}.`);
    const result = await resultOf(deps, row);
    if (result === undefined)
      throw new Fault('NOT_FOUND', 'The rows are no longer kept, or hold what is masked since: run the query again.');
    const found = await rowsAt(deps.objects, result.key, { at: placeIn(cursor), limit, bytes: PAGE_BYTES });
    const { lines, next } = found.read;
    const body = {
      columns: found.columns,
      rows: lines.map((line) => JSON.parse(line) as unknown),
      rowCount: lines.length,
      totalRows: result.rowCount,
      nextCursor: next === undefined ? null : Buffer.from(`row ${next}`).toString('base64url'),
      expiresAt: toIso(result.expiresAt),
    };
    return { status: 200, body };
  },
});
