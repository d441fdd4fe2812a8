// Derived tables: a SELECT published as a table, and run again over what its sources hold by now.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { tidyLater } from '../../ingest/deletion/kinds.ts';
import { DERIVE_KIND, deriveModes, type DeriveInput } from '../../ingest/derive/input.ts';
import { requireColumns, requireDefinable, requireDerived, sourcesOf } from '../../ingest/derive/rules.ts';
import { tableName } from '../../ingest/table-name.ts';
import { publishedTables } from '../../ingest/published-tables.ts';
import { tableIdOf } from '../../ingest/stages/place.ts';
import { queryParams, sqlText } from '../../query/params-schema.ts';
import { requireScope } from '../auth.ts';
import type { QueryDeps } from '../deps.ts';
import { keyHeader, keyOf, type Named, namedBy } from '../idempotency.ts';
import { type Call, defineQueryRoute, defineRoute } from '../route.ts';
import { preferHeader, replayAnswer, submitAnswers, type SubmitCall, type SubmitDeps, submitReply } from '../submit.ts';
import { jobNamed } from '../submit-asked.ts';
import { datasetOf, datasetParams } from './datasets.ts';
import { queryProblems } from './query.ts';
import { publishedTable, tableParams } from './tables.ts';

/** Bytes of a definition as JSON: it goes with the job, and stands in every snapshot. */
const LARGEST_DEFINITION = 60_000;

const deriveBody = z.lazy(() =>
  z.strictObject({
    name: tableName,
    sql: sqlText,
    params: queryParams.optional().meta({ description: 'A value for each $name of the SQL, as for a query.' }),
    description: z.string().max(2000).optional(),
    mode: z.enum(deriveModes).optional().meta({
      description:
        '`create` (default): there must be no table of the name. `replace`: a derived table gets this definition.',
    }),
  }),
);

const headers = { ...keyHeader, ...preferHeader };
const answers = {
  200: { ...submitAnswers[200], headers: { ...submitAnswers[200].headers, ...replayAnswer } },
  202: { ...submitAnswers[202], headers: { ...submitAnswers[202].headers, ...replayAnswer } },
};

type DeriveCall = Call<
  z.output<typeof datasetParams>,
  unknown,
  z.output<typeof deriveBody>,
  'datasets:write',
  QueryDeps
>;

/** What can be known before the job runs. Throws what the job would fail with. */
async function checkDefinition({ deps, caller, params: { id: dataset }, body, request }: DeriveCall): Promise<void> {
  if (!deps.query) throw new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');
  const { tenant, workspace } = caller;
  const scope = { tenant, workspace };
  const { name, sql, params = {}, mode } = body;
  const size = Buffer.byteLength(JSON.stringify(body));
  if (size > LARGEST_DEFINITION)
    throw new Fault('LIMIT_EXCEEDED', `The definition is ${size} bytes; ${LARGEST_DEFINITION} are the limit.`);
  const tables = await publishedTables(deps.catalog, scope, dataset);
  const own = tableIdOf(scope, dataset, name);
  requireDefinable(
    tables.find(({ id }) => id === own),
    mode,
  );
  const checked = await deps.query('check', { scope, dataset, sql, params, signal: request.signal });
  sourcesOf(tables, own, checked);
  requireColumns(checked.columns ?? []);
}

/** Its parts are looked for, like those of an ingest, should its job die. */
async function submitDerive(call: SubmitCall<SubmitDeps>, input: DeriveInput, named: Named | undefined) {
  const { deps, caller, ids } = call;
  const { tenant, workspace } = caller;
  await tidyLater(deps, { tenant, workspace }, input.dataset, ids.correlationId);
  return submitReply(call, { kind: DERIVE_KIND, input, flow: input.dataset, ...named });
}

export const deriveTable = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/tables/derive',
  operationId: 'deriveTable',
  summary: 'Publish the rows of a SELECT as a table',
  description:
    'A job of the kind `derive`. The SQL is checked first, as `…/query/validate` does; what it may read and use is as for a query that runs as a job. Needs the scope `query` too.',
  access: 'datasets:write',
  servedBy: 'query',
  request: { params: datasetParams, headers, body: deriveBody },
  answers,
  problems: [
    ...queryProblems,
    'CONFLICT',
    'TABLE_UPLOADED',
    'DERIVATION_CYCLE',
    'LIMIT_EXCEEDED',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  handle: async (call) => {
    const { deps, caller, params, body, request } = call;
    requireScope(caller, 'query');
    const { id: dataset } = await datasetOf(deps.catalog, caller, params.id);
    const { name: table, ...definition } = body;
    const input: DeriveInput = { dataset, table, ...definition };
    const key = keyOf(request);
    const named = key === undefined ? undefined : namedBy(caller, { derive: input }, key);
    const repeated = named && (await jobNamed(deps, caller, named));
    if (!repeated) await checkDefinition(call);
    return submitDerive(call, input, named);
  },
});

const refreshTable = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/tables/{tableId}/refresh',
  operationId: 'refreshTable',
  summary: 'Run the definition of a derived table over what its sources hold now',
  description:
    'A job of the kind `derive`. Where it would read what it has read before, nothing is run and nothing published, and its result says `unchanged`.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: tableParams,
    headers,
    body: z.strictObject({
      force: z.boolean().optional().meta({ description: 'Runs it whatever it has read before.' }),
    }),
    bodyOptional: true,
  },
  answers,
  problems: ['TABLE_UPLOADED', 'IDEMPOTENCY_KEY_REUSED'],
  handle: async (call) => {
    const { deps, caller, params, body, request } = call;
    const { view, current } = await publishedTable(deps, caller, params);
    requireDerived({ name: view.name, current });
    const input: DeriveInput = { dataset: params.id, table: view.name, ...(body.force === true && { force: true }) };
    const key = keyOf(request);
    const named = key === undefined ? undefined : namedBy(caller, { refresh: input }, key);
    return submitDerive(call, input, named);
  },
});

export const derivedRoutes = [deriveTable, refreshTable];
