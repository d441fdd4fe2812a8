import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { toIso } from '../../core/time.ts';
import { linkFields } from '../query-schemas.ts';
import { mediaTypes, resultFormats } from '../result-formats.ts';
import { defineQueryRoute } from '../route.ts';
import { datasetOf } from './datasets.ts';
import { queryProblems } from './query.ts';
import { tableParams } from './tables.ts';

export const getTableData = defineQueryRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}/data',
  operationId: 'getTableData',
  summary: 'Get a whole table as a file',
  description:
    'Answers where the file is. Parquet of a table in one part is ready at any size; else the file is made, within the limits of a query.',
  access: 'query',
  servedBy: 'query',
  request: {
    params: tableParams,
    query: z.strictObject({ format: z.enum(resultFormats).default('parquet') }),
  },
  answers: {
    200: { description: 'Where the file is.', schema: z.strictObject(linkFields).meta({ id: 'TableData' }) },
  },
  problems: queryProblems,
  handle: async ({ deps, caller, params, query: { format }, request }) => {
    if (!deps.tableData) throw new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');
    const { tenant, workspace } = caller;
    await datasetOf(deps.catalog, caller, params.id);
    const link = await deps.tableData({
      ...{ scope: { tenant, workspace }, dataset: params.id, table: params.tableId },
      ...{ format, contentType: mediaTypes[format], signal: request.signal },
    });
    return { status: 200, body: { ...link, format, expiresAt: toIso(link.expiresAt) } };
  },
});
