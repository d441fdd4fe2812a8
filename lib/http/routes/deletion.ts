// Deleting tables and datasets, taking that back, and purging what is deleted; and the bytes of uploaded files.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, FileId, Scope, TableId } from '../../core/ids.ts';
import { fileFolder } from '../../core/objects.ts';
import { deleteDataset, deleteTable, restoreDeleted } from '../../ingest/deletion/delete.ts';
import { PURGE_KIND } from '../../ingest/deletion/kinds.ts';
import type { Deletable } from '../../ingest/deletion/ports.ts';
import type { Caller } from '../auth.ts';
import { deletionFields, deletionView } from '../deletion-view.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { type Call, defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { preferHeader, replayAnswer, submitAnswers, submitReply } from '../submit.ts';
import { datasetOf, datasetParams, datasetSchema, datasetView } from './datasets.ts';
import { publishedTable, tableParams, tableSchema } from './tables.ts';

const scopeOf = ({ tenant, workspace }: Scope): Scope => ({ tenant, workspace });

const removeTable = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/{id}/tables/{tableId}',
  operationId: 'deleteTable',
  summary: 'Delete a table',
  description:
    'From this answer on it is in no list, search, query or relation, and nothing is ingested into it. It can be restored for as long as the ' +
    'policy of the dataset says (`restoreDays`), and is purged then.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: tableParams },
  answers: {
    200: {
      description: 'It is deleted.',
      schema: z.strictObject({ id: idSchema<TableId>('tbl'), ...deletionFields }).meta({ id: 'DeletedTable' }),
    },
  },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params, ids }) => {
    const owner = await datasetOf(deps.catalog, caller, params.id);
    const { table } = await publishedTable(deps, caller, params);
    const deletion = await deleteTable(deps, owner, table, ids);
    return { status: 200, body: { id: params.tableId, ...deletionView(deletion) } };
  },
});

const removeDataset = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/{id}',
  operationId: 'deleteDataset',
  summary: 'Delete a dataset with its tables and files',
  description:
    'From this answer on nothing of it is shown, and nothing is ingested into it. Its name stays taken. It can be restored for as long as its ' +
    'policy says (`restoreDays`), and is purged then.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: datasetParams },
  answers: {
    200: {
      description: 'It is deleted.',
      schema: z.strictObject({ id: idSchema<DatasetId>('ds'), ...deletionFields }).meta({ id: 'DeletedDataset' }),
    },
  },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params, ids }) => {
    const deletion = await deleteDataset(deps, await datasetOf(deps.catalog, caller, params.id), ids);
    return { status: 200, body: { id: params.id, ...deletionView(deletion) } };
  },
});

const restoring = {
  method: 'POST',
  access: 'datasets:write',
  servedBy: 'api',
  problems: ['CONFLICT', 'GONE'],
} as const;

const restoreTable = defineRoute({
  ...restoring,
  path: '/v1/datasets/{id}/tables/{tableId}/restore',
  operationId: 'restoreTable',
  summary: 'Take the deletion of a table back',
  description: 'Everything of it is as it was: its snapshots, annotations and relations. 410 once its purge has begun.',
  request: { params: tableParams },
  answers: { 200: { description: 'The table.', schema: tableSchema } },
  handle: async ({ deps, caller, params, ids }) => {
    await datasetOf(deps.catalog, caller, params.id);
    const thing = { ...scopeOf(caller), dataset: params.id, table: params.tableId };
    await restoreDeleted(deps, thing, ids);
    return { status: 200, body: (await publishedTable(deps, caller, params)).view };
  },
});

const restoreDataset = defineRoute({
  ...restoring,
  path: '/v1/datasets/{id}/restore',
  operationId: 'restoreDataset',
  summary: 'Take the deletion of a dataset back',
  description: 'Tables that were deleted before it stay deleted. 410 once its purge has begun.',
  request: { params: datasetParams },
  answers: { 200: { description: 'The dataset.', schema: datasetSchema } },
  handle: async ({ deps, caller, params, ids }) => {
    await restoreDeleted(deps, { ...scopeOf(caller), dataset: params.id }, ids);
    return { status: 200, body: datasetView(await datasetOf(deps.catalog, caller, params.id)) };
  },
});

const purging = {
  method: 'POST',
  access: 'datasets:write',
  servedBy: 'api',
  description:
    'A job of the kind `purge`. Its result counts what there was: tables, snapshots, files, objects and bytes. With `"dryRun": true` it counts ' +
    'and changes nothing, of what is not deleted too.',
  answers: {
    200: { ...submitAnswers[200], headers: { ...submitAnswers[200].headers, ...replayAnswer } },
    202: { ...submitAnswers[202], headers: { ...submitAnswers[202].headers, ...replayAnswer } },
  },
  problems: ['CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
} as const;
const headers = { ...keyHeader, ...preferHeader };
const body = z.lazy(() => z.strictObject({ dryRun: z.boolean().optional() }));

/** What the job would refuse is refused at once. */
async function submitPurge(call: Call & { readonly caller: Caller }, thing: Deletable, asked: z.output<typeof body>) {
  const standing = await call.deps.catalog.standingOf(thing);
  if (standing === undefined) throw new Fault('NOT_FOUND', 'There is no such table or dataset in this workspace.');
  if (standing.deletion === undefined && asked.dryRun !== true)
    throw new Fault('CONFLICT', `${standing.name} is not deleted: delete it first.`);
  const { dataset, table } = thing;
  const input = { dataset, ...(table && { table }), ...asked };
  const key = keyOf(call.request);
  const named = key === undefined ? {} : namedBy(call.caller, { purge: input }, key);
  return submitReply(call, { kind: PURGE_KIND, input, ...named });
}

const purgeTable = defineRoute({
  ...purging,
  path: '/v1/datasets/{id}/tables/{tableId}/purge',
  operationId: 'purgeTable',
  summary: 'Remove a deleted table for good, now',
  request: { params: tableParams, headers, body, bodyOptional: true },
  handle: async (call) => {
    const { id, tableId } = call.params;
    await datasetOf(call.deps.catalog, call.caller, id);
    return submitPurge(call, { ...scopeOf(call.caller), dataset: id, table: tableId }, call.body);
  },
});

const purgeDataset = defineRoute({
  ...purging,
  path: '/v1/datasets/{id}/purge',
  operationId: 'purgeDataset',
  summary: 'Remove a deleted dataset for good, now',
  request: { params: datasetParams, headers, body, bodyOptional: true },
  handle: (call) => submitPurge(call, { ...scopeOf(call.caller), dataset: call.params.id }, call.body),
});

const removeFile = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/{id}/files/{fileId}',
  operationId: 'deleteFile',
  summary: 'Remove an uploaded file for good',
  description:
    'Its bytes are gone with this answer. The tables that were read from it stay; it cannot be read again. An ingest that is still reading it ' +
    'fails with INPUT_UNREADABLE or NOT_FOUND, and publishes nothing.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: datasetParams.extend({ fileId: idSchema<FileId>('file') }) },
  answers: { 204: { description: 'It is gone.' } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params: { id, fileId } }) => {
    const file = await deps.catalog.getFile(scopeOf(caller), id, fileId);
    if (file !== undefined && (await deps.catalog.removeFile(file)) === 'moved')
      throw new Fault('CONFLICT', 'The file is just being read into a table.');
    // Also where a request removed its row and died.
    const { versions } = await deps.objects.listVersions(fileFolder(scopeOf(caller), id, fileId));
    await deps.objects.deleteVersions(versions);
    if (file === undefined) throw new Fault('NOT_FOUND', `There is no file ${fileId} in this dataset.`);
    return { status: 204, body: undefined };
  },
});

export const deletionRoutes = [
  removeTable,
  restoreTable,
  purgeTable,
  removeDataset,
  restoreDataset,
  purgeDataset,
  removeFile,
];
