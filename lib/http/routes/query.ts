import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { SQL_LENGTH } from '../limits.ts';
import { defineQueryRoute } from '../route.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const MAX_ROWS = 10_000;

const answerSchema = z
  .strictObject({
    columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
    rows: z.array(z.array(z.unknown())).meta({
      description:
        'Integers past 2^53 and decimals are strings, dates and timestamps ISO 8601, nested values JSON, so no value changes.',
    }),
    rowCount: z.int(),
    truncated: z.boolean().meta({ description: 'True when there were more rows than the limit.' }),
    elapsedMs: z.number(),
  })
  .meta({ id: 'QueryAnswer' });

export const queryDataset = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/query',
  operationId: 'queryDataset',
  summary: 'Answer SQL on the published tables of a dataset',
  description: 'One SELECT in DuckDB SQL. Only the tables that the dataset has published exist in it.',
  access: 'query',
  servedBy: 'query',
  request: {
    params: datasetParams,
    body: z.strictObject({
      sql: z.string().min(1).max(SQL_LENGTH),
      limit: z.int().min(1).max(MAX_ROWS).optional().meta({ description: 'Rows wanted at most.' }),
    }),
  },
  answers: { 200: { description: 'The rows.', schema: answerSchema } },
  problems: [
    'SQL_INVALID',
    'SQL_NOT_SELECT',
    'SQL_FORBIDDEN',
    'QUERY_TIMEOUT',
    'QUERY_MEMORY',
    'QUERY_DISK',
    'RESULT_TOO_LARGE',
    'CANCELLED',
  ],
  handle: async ({ deps, caller, params, body, request }) => {
    if (!deps.query) throw new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');
    const { tenant, workspace } = caller;
    await datasetOf(deps.catalog, caller, params.id);
    const scope = { tenant, workspace };
    return { status: 200, body: await deps.query({ scope, dataset: params.id, ...body, signal: request.signal }) };
  },
});
