// Queries as jobs: for what takes longer than a caller waits. The rows are an object that stays for a day.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, JobId } from '../../core/ids.ts';
import { passingFor } from '../../core/objects.ts';
import { later, toIso } from '../../core/time.ts';
import {
  type KeptFormat,
  keptFormats,
  MOST_QUERY_SECONDS,
  QUERY_KIND,
  type QueryJobInput,
  type QueryJobResult,
  queryJob,
  readQueryInput,
  readQueryResult,
} from '../../ingest/queries/query-job.ts';
import { savedQuery, valuesFor } from '../../ingest/queries/saved.ts';
import { rowsAt } from '../../ingest/query-pages.ts';
import { linkedFor } from '../../ingest/query-results.ts';
import { cancelJob } from '../../job/run/cancel.ts';
import { loadPayload } from '../../job/payload.ts';
import { type JobRow, progressSchema, refOf } from '../../job/row.ts';
import { jobStatuses } from '../../job/status.ts';
import { queryParams, sqlText } from '../../query/params-schema.ts';
import type { Caller } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { errorSchema, jobView } from '../job-view.ts';
import { pageQuery } from '../query-schemas.ts';
import { mediaTypes } from '../result-formats.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime } from '../schemas.ts';
import { preferHeader, submitAnswers, submitReply } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';
import { rowOf } from './jobs.ts';
import { savedName } from './saved-queries.ts';

/** Bytes of the rows of one page: an answer of the function holds 6 MB. */
const PAGE_BYTES = 4_000_000;

const queryIdParams = datasetParams.extend({ queryId: idSchema<JobId>('job') });

const submitBody = z.lazy(() =>
  z
    .strictObject({
      sql: sqlText.optional(),
      savedQuery: savedName.optional().meta({ description: 'Runs this one, in place of `sql`.' }),
      params: queryParams.optional(),
      limit: z.int().min(1).optional().meta({ description: 'Rows wanted at most; all of them where left out.' }),
      format: z.enum(keptFormats).default('parquet').meta({
        description: 'Of the file; `pages` keeps the rows for `…/rows`.',
      }),
      timeoutSeconds: z.int().min(1).max(MOST_QUERY_SECONDS).optional(),
    })
    .refine(({ sql, savedQuery: name }) => (sql === undefined) !== (name === undefined), {
      path: ['sql'],
      error: 'Give either `sql` or `savedQuery`.',
    }),
);

const columns = z.array(z.strictObject({ name: z.string(), type: z.string() }));
const resultSchema = z.strictObject({
  columns,
  rowCount: z.int(),
  truncated: z.boolean().meta({ description: 'True when there were more rows than the limit.' }),
  bytes: z.int(),
  elapsedMs: z.number(),
  expiresAt: isoTime.meta({ description: 'Until when the rows are there.' }),
  url: z.url().optional().meta({ description: 'GET the file here, without a key; not for `pages`.' }),
  urlExpiresAt: isoTime.optional().meta({ description: 'When this URL stops to work; ask again for another.' }),
});

const querySchema = z.lazy(() =>
  z
    .strictObject({
      id: idSchema<JobId>('job'),
      datasetId: idSchema<DatasetId>('ds'),
      status: z.enum(jobStatuses),
      sql: z.string(),
      savedQuery: z.string().optional(),
      format: z.enum(keptFormats),
      progress: progressSchema.optional(),
      error: errorSchema.optional(),
      result: resultSchema
        .optional()
        .meta({ description: 'Once it has succeeded, and as long as the rows are there.' }),
      createdAt: isoTime,
      finishedAt: isoTime.optional(),
    })
    .meta({ id: 'Query' }),
);

const submitQuery = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/queries',
  operationId: 'submitQuery',
  summary: 'Run SQL as a job',
  description: 'What it may read and use is as for `…/query`; its limits are larger. The job is of the kind `query`.',
  access: 'query',
  servedBy: 'api',
  request: { params: datasetParams, headers: { ...keyHeader, ...preferHeader }, body: submitBody },
  answers: submitAnswers,
  problems: ['IDEMPOTENCY_KEY_REUSED', 'LIMIT_EXCEEDED'],
  handle: async (call) => {
    const { deps, caller, params, body, request } = call;
    const { id } = await datasetOf(deps.catalog, caller, params.id);
    const input = await inputOf(deps, caller, id, body);
    const key = keyOf(request);
    const named = key === undefined ? {} : namedBy(caller, { query: id, ...body }, key);
    return submitReply(call, { ...queryJob(id, input), ...named });
  },
});

async function inputOf(
  { documents }: HttpDeps,
  caller: Caller,
  dataset: DatasetId,
  { savedQuery: name, sql = '', params, ...rest }: z.output<typeof submitBody>,
): Promise<Omit<QueryJobInput, 'dataset'>> {
  if (name === undefined) return { ...rest, sql, ...(params && { params }) };
  const { body: saved } = await savedQuery(documents, caller, dataset, name);
  return { ...rest, sql: saved.sql, params: readParams(valuesFor(saved, params)), savedQuery: name };
}

const readParams = (given: unknown) => queryParams.parse(given);

/** The job of a query of this dataset. Throws NOT_FOUND for any other job. */
async function queryRow(deps: HttpDeps, caller: Caller, { id, queryId }: z.output<typeof queryIdParams>) {
  const row = await rowOf(deps, caller, queryId);
  const input = row.kind === QUERY_KIND ? readQueryInput(await loadPayload(deps, refOf(row), row.input)) : undefined;
  if (input?.dataset !== id) throw new Fault('NOT_FOUND', `There is no query ${queryId} in this dataset.`);
  return { row, input };
}

/** Undefined before it has succeeded, and once its rows are gone. */
async function resultOf(deps: HttpDeps, row: JobRow) {
  if (row.status !== 'succeeded' || row.result === undefined || row.finishedAt === undefined) return undefined;
  const expiresAt = later(row.finishedAt, passingFor);
  if (deps.clock.now() >= expiresAt) return undefined;
  return { expiresAt, ...readQueryResult(await loadPayload(deps, refOf(row), row.result)) };
}

async function linkOf({ objects, clock }: HttpDeps, { format, key }: Pick<QueryJobResult, 'format' | 'key'>) {
  if (format === 'pages') return {};
  const download = { expires: linkedFor, name: `result.${format}`, type: mediaTypes[format] };
  return { url: await objects.presignGet(key, download), urlExpiresAt: toIso(later(clock.now(), linkedFor)) };
}

async function queryView(deps: HttpDeps, row: JobRow, { dataset, sql, format, savedQuery: name }: QueryJobInput) {
  const { id, status, progress, error, createdAt, finishedAt } = jobView(row, deps.clock.now());
  const found = await resultOf(deps, row);
  const result = found && {
    ...{ columns: found.columns, rowCount: found.rowCount, truncated: found.truncated },
    ...{ bytes: found.bytes, elapsedMs: found.elapsedMs, expiresAt: toIso(found.expiresAt) },
    ...(await linkOf(deps, found)),
  };
  const named = name !== undefined && { savedQuery: name };
  const kept: KeptFormat = format;
  return {
    ...{ id, datasetId: dataset, status, sql, ...named, format: kept, createdAt },
    ...(progress !== undefined && { progress }),
    ...(error !== undefined && { error }),
    ...(result !== undefined && { result }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

const getQuery = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/queries/{queryId}',
  operationId: 'getQuery',
  summary: 'Get a query that runs as a job, with where its rows are',
  access: 'query',
  servedBy: 'api',
  request: { params: queryIdParams },
  answers: { 200: { description: 'The query.', schema: querySchema } },
  handle: async ({ deps, caller, params }) => {
    const { row, input } = await queryRow(deps, caller, params);
    return { status: 200, body: await queryView(deps, row, input) };
  },
});

/** A place in the rows of one query; it needs no signature, since it names rows that its caller may read anyway. */
function placeIn(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, digits] = /^row (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (digits !== undefined) return Number(digits);
  const error = { pointer: '#/query/cursor', detail: 'It is not a cursor of this query.' };
  throw new Fault('VALIDATION_FAILED', 'The cursor is not one that this query gave.', { errors: [error] });
}

const getQueryRows = defineRoute({
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
        columns,
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
    if (result === undefined) throw new Fault('NOT_FOUND', 'The rows are no longer kept: run the query again.');
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

const cancelQuery = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/queries/{queryId}/cancel',
  operationId: 'cancelQuery',
  summary: 'Cancel a query that runs as a job',
  description: 'One that runs is told at its next heartbeat, and DuckDB is stopped.',
  access: 'query',
  servedBy: 'api',
  request: { params: queryIdParams },
  answers: { 200: { description: 'The query, as the cancel left it.', schema: querySchema } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params }) => {
    const { row, input } = await queryRow(deps, caller, params);
    const left = await cancelJob(deps, refOf(row), 'asked for over the API');
    return { status: 200, body: await queryView(deps, left, input) };
  },
});

export const queryJobRoutes = [submitQuery, getQuery, getQueryRows, cancelQuery];
