import { REFRESH_KIND } from '../../ingest/refresh-samples.ts';
import { defineRoute } from '../route.ts';
import { preferHeader, submitAnswers, submitReply } from '../submit.ts';
import { publishedTable, tableParams } from './tables.ts';

/** The job does the work, in the function that has the engine. */
export const refreshSamples = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/tables/{tableId}/samples/refresh',
  operationId: 'refreshSamples',
  summary: 'Look for personal data in a published table again, and draw its samples anew',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: tableParams, headers: preferHeader },
  answers: submitAnswers,
  problems: ['FLOW_DISABLED'],
  handle: async (call) => {
    const { deps, caller, params } = call;
    await publishedTable(deps, caller, params);
    return submitReply(call, {
      kind: REFRESH_KIND,
      input: { dataset: params.id, table: params.tableId },
      flow: params.id,
    });
  },
});
