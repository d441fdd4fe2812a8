// Queries as jobs: for what takes longer than a caller waits. The rows are an object that stays for a day.
import * as z from 'zod';
import type { DatasetId } from '../../core/ids.ts';
import { keptFormats, MOST_QUERY_SECONDS, type QueryJobInput, queryJob } from '../../ingest/queries/query-job.ts';
import { savedQuery, valuesFor } from '../../ingest/queries/saved.ts';
import { cancelJob } from '../../job/run/cancel.ts';
import { refOf } from '../../job/row.ts';
import { queryParams, sqlText } from '../../query/params-schema.ts';
import type { Caller } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { defineRoute } from '../route.ts';
import { preferHeader, submitAnswers, submitReply } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';
import { savedName } from './saved-queries.ts';
import { queryIdParams, queryRow, querySchema, queryView } from '../query-job-view.ts';
import { getQueryRows } from './query-rows.ts';

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
