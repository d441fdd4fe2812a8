import * as z from 'zod';
import { recordOf } from '../../core/any-keys.ts';
import { Fault } from '../../core/fault.ts';
import type { StoredDocument } from '../../core/documents.ts';
import type { DatasetId } from '../../core/ids.ts';
import { epochMs, toIso } from '../../core/time.ts';
import {
  declared,
  parameterSchema,
  savedPlace,
  savedQueries,
  savedQuery,
  type SavedQuery,
  valuesFor,
} from '../../ingest/queries/saved.ts';
import { paramName, sqlText } from '../../query/params-schema.ts';
import { conditionHeaders, etagOf, versionIn } from '../etag.ts';
import { listReply } from '../list.ts';
import { defineQueryRoute, defineRoute, type Reply } from '../route.ts';
import { idSchema, isoTime, listOf, pageQuery } from '../schemas.ts';
import { datasetOf, datasetParams } from './datasets.ts';
import { queryAnswers, queryProblems, queryReply } from './query.ts';
import { optionsBody } from '../query-schemas.ts';

const MOST_PARAMETERS = 100;

export const savedName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,99}$/, 'It is 1 to 100 letters, digits, _ and -, and starts with a letter.');
const savedParams = datasetParams.extend({ name: savedName });

const parameters = recordOf(paramName, parameterSchema).refine(
  (given) => Object.keys(given).length <= MOST_PARAMETERS,
  `There are more than ${MOST_PARAMETERS}.`,
);

const savedSchema = z
  .strictObject({
    name: z.string(),
    datasetId: idSchema<DatasetId>('ds'),
    description: z.string().optional(),
    sql: z.string(),
    parameters: z.record(z.string(), parameterSchema).meta({ description: 'Every parameter that the SQL takes.' }),
    createdAt: isoTime,
    changedAt: isoTime,
  })
  .meta({ id: 'SavedQuery' });

const etag = { ETag: 'Names this edition of it.' };
const conditions = {
  ...conditionHeaders,
  'If-None-Match': '`*`: refused where there is a saved query of that name.',
};

const savedView = (dataset: DatasetId, { name, body }: StoredDocument<SavedQuery>) => ({
  name,
  datasetId: dataset,
  ...(body.description !== undefined && { description: body.description }),
  sql: body.sql,
  parameters: body.parameters,
  createdAt: toIso(epochMs(body.createdAt)),
  changedAt: toIso(epochMs(body.changedAt)),
});

const replyWith = (dataset: DatasetId, found: StoredDocument<SavedQuery>, status: 200 | 201 = 200): Reply => ({
  status,
  body: savedView(dataset, found),
  headers: {
    ...etagOf(found.version),
    ...(status === 201 && { location: `/v1/datasets/${dataset}/saved-queries/${found.name}` }),
  },
});

/** Throws PRECONDITION_FAILED where `version` (0: absent) is not what the request asks for. */
function checkConditions({ headers }: Request, version: number): void {
  const match = headers.get('if-match');
  const wanted = match === null || match.trim() === '*' ? undefined : versionIn(match);
  const other = match !== null && (version === 0 || (match.trim() !== '*' && wanted !== version));
  const taken = headers.get('if-none-match')?.trim() === '*' && version > 0;
  if (other || taken)
    throw new Fault('PRECONDITION_FAILED', `Its ETag is ${version === 0 ? 'not there' : `"${version}"`}.`);
}

const putSaved = defineQueryRoute({
  method: 'PUT',
  path: '/v1/datasets/{id}/saved-queries/{name}',
  operationId: 'putSavedQuery',
  summary: 'Save a query under a name, or replace it',
  description: 'It is checked as `…/query/validate` does: what could not run is not saved.',
  access: 'query',
  servedBy: 'query',
  request: {
    params: savedParams,
    headers: conditions,
    body: z.strictObject({
      sql: sqlText,
      description: z.string().max(2000).optional(),
      parameters: parameters.optional().meta({ description: 'Types, defaults and descriptions, by name.' }),
    }),
  },
  answers: {
    200: { description: 'The saved query, replaced.', schema: savedSchema, headers: etag },
    201: { description: 'The saved query.', schema: savedSchema, headers: { ...etag, Location: 'The saved query.' } },
  },
  problems: [...queryProblems, 'PRECONDITION_FAILED', 'CONFLICT'],
  handle: async ({ deps, caller, params: { id, name }, body, request }) => {
    if (!deps.query) throw new Fault('ROUTE_NOT_FOUND', 'Another function serves this route.');
    const { tenant, workspace } = caller;
    const scope = { tenant, workspace };
    await datasetOf(deps.catalog, caller, id);
    const place = savedPlace(scope, id, name);
    const before = await savedQueries(deps.documents).get(place);
    checkConditions(request, before?.version ?? 0);
    const { sql, description, parameters: given = {} } = body;
    const asked = { scope, dataset: id, sql, signal: request.signal };
    const taken = declared(given, await deps.query('check', asked));
    // Bound once with values, where there is one for each: a default of a wrong type is told now.
    const defaults = valuesFor({ parameters: taken });
    if (Object.keys(defaults).length > 0 && Object.keys(defaults).length === Object.keys(taken).length)
      await deps.query('check', { ...asked, params: defaults });
    const now = deps.clock.now();
    const saved = { sql, description, parameters: taken, createdAt: before?.body.createdAt ?? now, changedAt: now };
    const after = before?.version ?? 0;
    if ((await savedQueries(deps.documents).put(place, saved, after)) === 'moved')
      throw new Fault('CONFLICT', 'Somebody else has saved it meanwhile.');
    return replyWith(id, { name, version: after + 1, body: saved }, before ? 200 : 201);
  },
});

const getSaved = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/saved-queries/{name}',
  operationId: 'getSavedQuery',
  summary: 'Get a saved query',
  access: 'query',
  servedBy: 'api',
  request: { params: savedParams },
  answers: { 200: { description: 'The saved query.', schema: savedSchema, headers: etag } },
  handle: async ({ deps, caller, params: { id, name } }) =>
    replyWith(id, await savedQuery(deps.documents, caller, id, name)),
});

const listSaved = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/saved-queries',
  operationId: 'listSavedQueries',
  summary: 'List the saved queries of a dataset, by name',
  access: 'query',
  servedBy: 'api',
  request: { params: datasetParams, query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of saved queries.', schema: listOf(savedSchema) } },
  handle: async (call) => {
    const { tenant, workspace, id } = await datasetOf(call.deps.catalog, call.caller, call.params.id);
    const group = { tenant, workspace, group: id };
    return listReply(call, {
      name: 'saved-queries',
      read: (page) => savedQueries(call.deps.documents).list(group, page),
      view: (found) => savedView(id, found),
    });
  },
});

const deleteSaved = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/{id}/saved-queries/{name}',
  operationId: 'deleteSavedQuery',
  summary: 'Delete a saved query',
  access: 'query',
  servedBy: 'api',
  request: { params: savedParams, headers: { 'If-Match': conditions['If-Match'] } },
  answers: { 204: { description: 'It is gone.' } },
  problems: ['PRECONDITION_FAILED', 'CONFLICT'],
  handle: async ({ deps, caller, params: { id, name }, request }) => {
    const { version } = await savedQuery(deps.documents, caller, id, name);
    checkConditions(request, version);
    if ((await savedQueries(deps.documents).remove(savedPlace(caller, id, name), version)) === 'moved')
      throw new Fault('CONFLICT', 'Somebody else has changed it meanwhile.');
    return { status: 204, body: undefined };
  },
});

const runSaved = defineQueryRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/saved-queries/{name}/run',
  operationId: 'runSavedQuery',
  summary: 'Answer a saved query',
  description: 'As `…/query` answers; values that are left out are the defaults of the saved query.',
  access: 'query',
  servedBy: 'query',
  request: { params: savedParams, body: optionsBody, bodyOptional: true },
  answers: queryAnswers,
  problems: queryProblems,
  handle: async (call) => {
    const { id, name } = call.params;
    const { body: saved } = await savedQuery(call.deps.documents, call.caller, id, name);
    return queryReply({ ...call, body: { ...call.body, sql: saved.sql, params: valuesFor(saved, call.body.params) } });
  },
});

export const savedQueryRoutes = [putSaved, getSaved, listSaved, deleteSaved, runSaved];
/** Those that the query function serves. */
export const savedQuerySqlRoutes = [putSaved, runSaved];
