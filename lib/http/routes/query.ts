import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import type { DatasetQueryRequest } from '../../ingest/dataset-query.ts';
import type { QueryAnswers, QueryWant, ResultFormat } from '../../query/types.ts';
import type { Caller } from '../auth.ts';
import type { QueryDeps } from '../deps.ts';
import { PARAMS, SQL_LENGTH } from '../limits.ts';
import { acceptedFormat, mediaTypes, resultFormats } from '../result-formats.ts';
import { type Call, defineQueryRoute, type Reply } from '../route.ts';
import { isoTime } from '../schemas.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const MAX_ROWS = 10_000;

const columnSchema = z.strictObject({ name: z.string(), type: z.string() });

const answerSchema = z
  .strictObject({
    columns: z.array(columnSchema),
    rows: z.array(z.array(z.unknown())).meta({
      description:
        'Integers past 2^53 and decimals are strings, dates and timestamps ISO 8601, nested values JSON, so no value changes.',
    }),
    rowCount: z.int(),
    truncated: z.boolean().meta({ description: 'True when there were more rows than the limit.' }),
    elapsedMs: z.number(),
  })
  .meta({ id: 'QueryAnswer' });

const linkSchema = z
  .strictObject({
    url: z.url().meta({ description: 'GET the file here, without a key.' }),
    expiresAt: isoTime.meta({ description: 'When the URL stops to work; the file is removed later.' }),
    format: z.enum(resultFormats),
    bytes: z.int(),
    columns: z.array(columnSchema),
    rowCount: z.int(),
    truncated: z.boolean(),
    elapsedMs: z.number(),
  })
  .meta({ id: 'QueryLink' });

const checkSchema = z
  .strictObject({
    columns: z.array(columnSchema).nullable().meta({
      description: 'Null where they follow from parameters whose values were not sent.',
    }),
    parameters: z
      .array(z.strictObject({ name: z.string(), type: z.string().nullable() }))
      .meta({ description: 'In the order of the SQL; type is null where it follows from the value.' }),
  })
  .meta({ id: 'QueryCheck' });

const planSchema = z
  .strictObject({
    plan: z.array(z.unknown()).meta({ description: "DuckDB's operators, each {name, children, extra_info}." }),
  })
  .meta({ id: 'QueryPlan' });

const plainParam = z.union([z.string().max(SQL_LENGTH), z.number(), z.boolean(), z.null()], 'It is no value.');
const typedParam = z.strictObject({
  type: z
    .string()
    .min(1)
    .max(50)
    .meta({ description: 'E.g. DATE, DECIMAL(18,3), HUGEINT, or VARCHAR[] for an array.' }),
  value: z.union([plainParam, z.array(plainParam).max(PARAMS.items)], 'It is neither a value nor an array of values.'),
});

const params = z
  .record(
    z.string().min(1).max(PARAMS.name),
    z.union([plainParam, typedParam], 'It is neither a value nor {type, value}.'),
  )
  .refine((given) => Object.keys(given).length <= PARAMS.count, `There are more than ${PARAMS.count} parameters.`)
  .meta({
    description: 'A value for each $name of the SQL: JSON, or {type, value} for what JSON has no form for.',
    examples: [{ city: 'Oslo', since: { type: 'DATE', value: '2024-01-31' } }],
  });

const sql = z.string().min(1).max(SQL_LENGTH);

const problems = [
  'SQL_INVALID',
  'SQL_NOT_SELECT',
  'SQL_FORBIDDEN',
  'SQL_PARAMETER',
  'QUERY_TIMEOUT',
  'QUERY_MEMORY',
  'QUERY_DISK',
  'CANCELLED',
] as const;

type Asked = Pick<DatasetQueryRequest, 'sql' | 'params' | 'limit'>;
type QueryCall = Call<{ id: DatasetId }, unknown, Asked, 'query', QueryDeps>;

const elsewhere = (): Fault => new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');

/** The request as the query room takes it, of a dataset that is there. */
async function asked({ deps, caller, params: place, body, request }: QueryCall): Promise<DatasetQueryRequest> {
  if (!deps.query) throw elsewhere();
  const { tenant, workspace }: Caller = caller;
  await datasetOf(deps.catalog, caller, place.id);
  const { sql, params: values, limit } = body;
  return { scope: { tenant, workspace }, dataset: place.id, sql, params: values, limit, signal: request.signal };
}

async function ask<W extends QueryWant>(want: W, call: QueryCall): Promise<QueryAnswers[W]> {
  const request = await asked(call);
  if (!call.deps.query) throw elsewhere();
  return call.deps.query(want, request);
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
    body: z
      .strictObject({
        sql,
        params: params.optional(),
        limit: z
          .int()
          .min(1)
          .optional()
          .meta({
            description: `Rows wanted at most; ${MAX_ROWS} are the most of an answer, and the most behind a URL follow from its bytes.`,
          }),
        delivery: z
          .enum(['body', 'url'])
          .default('body')
          .meta({ description: 'Where the rows are: in the answer, or in a file that the answer has a URL of.' }),
        format: z
          .enum(resultFormats)
          .optional()
          .meta({ description: 'Without it, Accept decides; types that are not among the answers are passed over.' }),
      })
      .refine(({ limit = 1, delivery }) => delivery === 'url' || limit <= MAX_ROWS, {
        path: ['limit'],
        error: `An answer has at most ${MAX_ROWS} rows; ask for more with delivery "url".`,
      }),
  },
  answers: {
    200: {
      description: 'The rows in the format that was asked for, or where they are.',
      schema: z.union([answerSchema, linkSchema]),
      instead: {
        'application/x-ndjson': z.string(),
        'text/csv': z.string(),
        'application/vnd.apache.parquet': z.string(),
      },
      headers: {
        'X-Row-Count': 'Rows in the body, where it is not JSON.',
        'X-Truncated': '`true` when there were more rows than the limit; where the body is not JSON.',
      },
    },
  },
  problems: [...problems, 'RESULT_TOO_LARGE'],
  handle: async (call) => {
    const format = call.body.format ?? acceptedFormat(call.request.headers.get('accept'));
    if (call.body.delivery === 'url') return linkTo(format, call);
    return format === 'json' ? { status: 200, body: await ask('rows', call) } : await bytesOf(format, call);
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
  request: { params: datasetParams, body: z.strictObject({ sql, params: params.optional() }) },
  answers: { 200: { description: 'What it would answer, and the parameters that it takes.', schema: checkSchema } },
  problems,
  handle: async (call) => ({ status: 200, body: await ask('check', call) }),
});

const explainQuery = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/query/explain',
  operationId: 'explainQuery',
  summary: 'Answer the plan of SQL without running it',
  access: 'query',
  servedBy: 'query',
  request: { params: datasetParams, body: z.strictObject({ sql, params: params.optional() }) },
  answers: { 200: { description: 'The physical plan.', schema: planSchema } },
  problems,
  handle: async (call) => ({ status: 200, body: await ask('plan', call) }),
});

export const queryRoutes = [queryDataset, validateQuery, explainQuery];
