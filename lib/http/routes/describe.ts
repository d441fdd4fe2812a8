// Describing what is published anew: a job for a dataset or for one of its tables.
import * as z from 'zod';
import type { DatasetId, TableId } from '../../core/ids.ts';
import type { HttpDeps } from '../deps.ts';
import type { Caller } from '../auth.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { defineRoute, type Ids } from '../route.ts';
import { preferHeader, replayAnswer, submitAnswers, submitReply } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';
import { publishedTable, tableParams } from './tables.ts';

const body = z.strictObject({
  again: z.boolean().optional().meta({
    description: 'Asks the model about columns that it has described already, too. What people say always stays.',
  }),
});
const answers = {
  200: { ...submitAnswers[200], headers: { ...submitAnswers[200].headers, ...replayAnswer } },
  202: { ...submitAnswers[202], headers: { ...submitAnswers[202].headers, ...replayAnswer } },
};
const headers = { ...keyHeader, ...preferHeader };

interface DescribeCall {
  readonly deps: HttpDeps;
  readonly caller: Caller;
  readonly request: Request;
  readonly ids: Ids;
  readonly body: z.infer<typeof body>;
}

function submitPass(call: DescribeCall, of: { readonly dataset: DatasetId; readonly table?: TableId }) {
  const asked = { kind: 'describe-pass', input: { ...of, ...(call.body.again === true && { again: true }) } };
  const key = keyOf(call.request);
  return submitReply(call, { ...asked, flow: of.dataset, ...(key !== undefined && namedBy(call.caller, asked, key)) });
}

const describeDataset = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/describe',
  operationId: 'describeDataset',
  summary: 'Describe the published tables of a dataset',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: datasetParams, headers, body, bodyOptional: true },
  answers,
  problems: ['IDEMPOTENCY_KEY_REUSED', 'FLOW_DISABLED'],
  handle: async (call) => {
    const { id } = await datasetOf(call.deps.catalog, call.caller, call.params.id);
    return submitPass(call, { dataset: id });
  },
});

const describeTable = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/tables/{tableId}/describe',
  operationId: 'describeTable',
  summary: 'Describe a published table',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: tableParams, headers, body, bodyOptional: true },
  answers,
  problems: ['IDEMPOTENCY_KEY_REUSED', 'FLOW_DISABLED'],
  handle: async (call) => {
    const { view } = await publishedTable(call.deps, call.caller, call.params);
    return submitPass(call, { dataset: view.datasetId as DatasetId, table: view.id as TableId });
  },
});

export const describeRoutes = [describeDataset, describeTable];
