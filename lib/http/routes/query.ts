import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import type { DatasetQueryRequest } from '../../ingest/dataset-query.ts';
import type { QueryPage } from '../../ingest/query-pages.ts';
import type { QueryAnswers, QueryWant, ResultFormat } from '../../query/types.ts';
import type { Caller } from '../auth.ts';
import type { QueryDeps } from '../deps.ts';
import {
  answerSchema,
  checkSchema,
  linkSchema,
  PAGE_ROWS,
  pageQuery,
  pageSchema,
  planSchema,
  queryBody,
  statementBody,
} from '../query-schemas.ts';
import { acceptedFormat, mediaTypes } from '../result-formats.ts';
import { type Answer, type Call, defineQueryRoute, type Reply } from '../route.ts';
import { datasetOf, datasetParams } from './datasets.ts';

/** What any query can end in. */
export const queryProblems = [
  'SQL_INVALID',
  'SQL_NOT_SELECT',
  'SQL_FORBIDDEN',
  'SQL_PARAMETER',
  'QUERY_TIMEOUT',
  'QUERY_MEMORY',
  'QUERY_DISK',
  'RESULT_TOO_LARGE',
  'CANCELLED',
] as const;

type Asked = Pick<DatasetQueryRequest, 'sql' | 'params' | 'limit' | 'asOf'>;
type QueryCall<B = Asked> = Call<{ id: DatasetId }, unknown, B, 'query', QueryDeps>;
type RowsCall = QueryCall<Asked & Pick<z.output<typeof queryBody>, 'delivery' | 'format'>>;

const elsewhere = (): Fault => new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');

/** The request as the query room takes it, of a dataset that is there. */
async function asked({ deps, caller, params: place, body, request }: QueryCall): Promise<DatasetQueryRequest> {
  if (!deps.query) throw elsewhere();
  const { tenant, workspace }: Caller = caller;
  await datasetOf(deps.catalog, caller, place.id);
  const { sql, params: values, limit, asOf } = body;
  return { scope: { tenant, workspace }, dataset: place.id, sql, params: values, limit, asOf, signal: request.signal };
}

async function ask<W extends QueryWant>(want: W, call: QueryCall): Promise<QueryAnswers[W]> {
  const request = await asked(call);
  if (!call.deps.query) throw elsewhere();
  return call.deps.query(want, request);
}

const pageReply = (page: QueryPage): Reply => ({
  status: 200,
  body: { ...page, expiresAt: toIso(page.expiresAt) },
});

async function firstPage(call: QueryCall): Promise<Reply> {
  const request = await asked(call);
  if (!call.deps.pages) throw elsewhere();
  return pageReply(await call.deps.pages.start({ ...request, limit: request.limit ?? PAGE_ROWS }));
}

/** The rows as a file that a URL leads to. */
async function linkTo(format: ResultFormat, call: QueryCall): Promise<Reply> {
  const request = await asked(call);
  if (!call.deps.results) throw elsewhere();
  const link = await call.deps.results.link({ ...request, format, contentType: mediaTypes[format] });
  return { status: 200, body: { ...link, format, expiresAt: toIso(link.expiresAt) } };
}

/** The rows in a format that is not this API's own JSON. */
async function bytesOf(format: ResultFormat, call: QueryCall): Promise<Reply> {
  const request = await asked(call);
  if (!call.deps.results) throw elsewhere();
  const { body, rowCount, truncated } = await call.deps.results.bytes({
    ...request,
    format,
    contentType: mediaTypes[format],
  });
  const headers = {
    'content-type': mediaTypes[format],
    'x-row-count': String(rowCount),
    'x-truncated': String(truncated),
  };
  return { status: 200, body, headers };
}

/** The rows, in the format and the delivery that were asked for. */
export async function queryReply(call: RowsCall): Promise<Reply> {
  const format = call.body.format ?? acceptedFormat(call.request.headers.get('accept'));
  if (call.body.delivery === 'pages') return firstPage(call);
  if (call.body.delivery === 'url') return linkTo(format, call);
  return format === 'json' ? { status: 200, body: await ask('rows', call) } : await bytesOf(format, call);
}

export const queryAnswers = {
  200: {
    description: 'The rows in the format that was asked for, or where they are.',
    schema: z.union([answerSchema, linkSchema, pageSchema]),
    instead: {
      'application/x-ndjson': z.string(),
      'text/csv': z.string(),
      'application/vnd.apache.arrow.stream': z.string(),
      'application/vnd.apache.parquet': z.string(),
    },
    headers: {
      'X-Row-Count': 'Rows in the body, where it is not JSON.',
      'X-Truncated': '`true` when there were more rows than the limit; where the body is not JSON.',
    },
  },
} satisfies Record<200, Answer>;

const queryDataset = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/query',
  operationId: 'queryDataset',
  summary: 'Answer SQL on the published tables of a dataset',
  description: 'One SELECT in DuckDB SQL. Only the tables that the dataset has published exist in it.',
  access: 'query',
  servedBy: 'query',
  request: {
    params: datasetParams,
    body: queryBody,
  },
  answers: queryAnswers,
  problems: queryProblems,
  handle: queryReply,
});

const nextQueryPage = defineQueryRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/query/pages',
  operationId: 'getQueryPage',
  summary: 'Get the next page of a result',
  description: 'Of a query that was asked with `"delivery": "pages"`. The rows are those of the one run, in its order.',
  access: 'query',
  servedBy: 'query',
  request: {
    params: datasetParams,
    query: pageQuery,
  },
  answers: { 200: { description: 'The page.', schema: pageSchema } },
  problems: ['RESULT_TOO_LARGE'],
  handle: async ({ deps, caller, params: place, query }) => {
    if (!deps.pages) throw elsewhere();
    const { tenant, workspace } = caller;
    await datasetOf(deps.catalog, caller, place.id);
    return pageReply(await deps.pages.next({ scope: { tenant, workspace }, dataset: place.id, ...query }));
  },
});

const validateQuery = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/query/validate',
  operationId: 'validateQuery',
  summary: 'Check SQL without running it',
  description: [
    'Parses it, checks that it is allowed, and binds it against the published tables; what would be refused is the same problem as when it is run.',
    'Values of parameters are checked where `params` is sent.',
  ].join(' '),
  access: 'query',
  servedBy: 'query',
  request: { params: datasetParams, body: statementBody },
  answers: { 200: { description: 'What it would answer, and the parameters that it takes.', schema: checkSchema } },
  problems: queryProblems,
  handle: async (call) => ({ status: 200, body: await ask('check', call) }),
});

const explainQuery = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/query/explain',
  operationId: 'explainQuery',
  summary: 'Answer the plan of SQL without running it',
  access: 'query',
  servedBy: 'query',
  request: { params: datasetParams, body: statementBody },
  answers: { 200: { description: 'The physical plan.', schema: planSchema } },
  problems: queryProblems,
  handle: async (call) => ({ status: 200, body: await ask('plan', call) }),
});

export const queryRoutes = [queryDataset, nextQueryPage, validateQuery, explainQuery];
