// Relations between columns of a dataset's tables: the list of them, what people decide, and the pass that measures anew.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, RelationId, Scope, TableId } from '../../core/ids.ts';
import { isPublished, publishedRef, readManifest } from '../../ingest/manifest.ts';
import {
  type Relation,
  relationFamily,
  relationGroup,
  relationId,
  relationKinds,
  relationStatuses,
} from '../../ingest/relations/relation.ts';
import type { HttpDeps } from '../deps.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { listReply } from '../list.ts';
import { type Named, publishedIn, relationSchema, relationView, type Shown, shown } from '../relation-view.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOf, pageQuery } from '../schemas.ts';
import { preferHeader, replayAnswer, submitAnswers, submitReply } from '../submit.ts';
import { datasetOf, datasetParams } from './datasets.ts';

const relationParams = datasetParams.extend({ relationId: idSchema<RelationId>('rel') });

const listRelations = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/relations',
  operationId: 'listRelations',
  summary: 'List the relations between tables of a dataset',
  access: 'datasets:read',
  servedBy: 'api',
  request: {
    params: datasetParams,
    query: z.strictObject({
      ...pageQuery,
      status: z.enum(relationStatuses).optional(),
      kind: z.enum(relationKinds).optional(),
      table: idSchema<TableId>('tbl').optional().meta({ description: 'Only those that this table is at one end of.' }),
      stale: z.enum(['true', 'false']).optional(),
    }),
  },
  answers: { 200: { description: 'A page of relations.', schema: listOf(relationSchema) } },
  handle: async (call) => {
    const { deps, caller, params, query } = call;
    const { tenant, workspace, id } = await datasetOf(deps.catalog, caller, params.id);
    const scope = { tenant, workspace };
    const published = await publishedIn(deps, scope, id);
    const fits = ({ body: { from, to, status, kind } }: Named): boolean =>
      (query.status === undefined || status === query.status) &&
      (query.kind === undefined || kind === query.kind) &&
      (query.table === undefined || from.table === query.table || to.table === query.table);
    const read = async (page: { limit: number; cursor?: string | undefined }) => {
      const { items, ...more } = await relationFamily(deps.documents).list(relationGroup(scope, id), page);
      const seen = await Promise.all(items.filter(fits).map((each) => shown(deps.catalog, scope, id, published, each)));
      return { items: seen.filter((each) => each !== undefined), ...more };
    };
    const view = (each: Shown) =>
      query.stale === undefined || String(each.stale) === query.stale ? relationView(each, id) : undefined;
    return listReply(call, { name: 'relations', read, view });
  },
});

interface RelationCall {
  readonly deps: HttpDeps;
  readonly caller: Scope;
  readonly params: { readonly id: DatasetId; readonly relationId: RelationId };
}

const noSuch = (id: RelationId, dataset: DatasetId): Fault =>
  new Fault('NOT_FOUND', `There is no relation ${id} in the dataset ${dataset}.`);

async function shownRelation({ deps, caller: { tenant, workspace }, params }: RelationCall) {
  const scope = { tenant, workspace };
  await datasetOf(deps.catalog, scope, params.id);
  const place = { ...relationGroup(scope, params.id), name: params.relationId };
  const found = await relationFamily(deps.documents).get(place);
  const seen = found && (await shown(deps.catalog, scope, params.id, await publishedIn(deps, scope, params.id), found));
  if (found === undefined || seen === undefined) throw noSuch(params.relationId, params.id);
  return { ...seen, version: found.version, place };
}

const getRelation = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/relations/{relationId}',
  operationId: 'getRelation',
  summary: 'Get a relation',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: relationParams },
  answers: { 200: { description: 'The relation.', schema: relationSchema } },
  handle: async (call) => ({ status: 200, body: relationView(await shownRelation(call), call.params.id) }),
});

const endBody = z.strictObject({ tableId: idSchema<TableId>('tbl'), column: z.string().min(1).max(1000) });
const noteBody = z.string().trim().min(1).max(1000).optional();

/** With the names as the tables have them; Fault NOT_FOUND for a table that is not published, VALIDATION_FAILED for a column. */
async function endOf(
  { catalog, objects }: HttpDeps,
  scope: Scope,
  dataset: DatasetId,
  end: z.infer<typeof endBody>,
  at: string,
) {
  const table = await catalog.getTable(scope, dataset, end.tableId);
  if (!isPublished(table)) throw new Fault('NOT_FOUND', `There is no table ${end.tableId} in this dataset.`);
  const { columns } = await readManifest({ catalog, objects }, publishedRef(table));
  if (columns.some(({ name }) => name === end.column))
    return { table: table.id, tableName: table.name, column: end.column };
  const errors = [{ pointer: `#/${at}/column`, detail: `The table ${table.name} has no such column.` }];
  throw new Fault('VALIDATION_FAILED', `The table ${table.name} has no column of that name.`, { errors });
}

const createRelation = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/relations',
  operationId: 'createRelation',
  summary: 'Say that a column refers to another',
  description: 'It is approved at once, and measured by the next ingest of one of its tables, or by the pass.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: datasetParams, body: z.strictObject({ from: endBody, to: endBody, note: noteBody }) },
  answers: { 201: { description: 'The relation.', schema: relationSchema, headers: { Location: 'The relation.' } } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params, body }) => {
    const { tenant, workspace, id } = await datasetOf(deps.catalog, caller, params.id);
    const scope = { tenant, workspace };
    const from = await endOf(deps, scope, id, body.from, 'from');
    const to = await endOf(deps, scope, id, body.to, 'to');
    if (from.table === to.table && from.column === to.column)
      throw new Fault('VALIDATION_FAILED', 'A column refers to another one.', {
        errors: [{ pointer: '#/to', detail: 'It is the same column as `from`.' }],
      });
    const name = relationId(scope, id, { from, to });
    const now = deps.clock.now();
    const relation: Relation = {
      v: 1,
      from,
      to,
      kind: 'manual',
      status: 'approved',
      ...(body.note !== undefined && { note: body.note }),
      createdAt: now,
      decidedAt: now,
      measures: [],
    };
    if ((await relationFamily(deps.documents).put({ ...relationGroup(scope, id), name }, relation, 0)) === 'moved')
      throw new Fault('CONFLICT', 'There is such a relation already: approve it.', { extra: { relationId: name } });
    const seen = { name, body: relation, measure: undefined, stale: true };
    return {
      status: 201,
      body: relationView(seen, id),
      headers: { location: `/v1/datasets/${id}/relations/${name}` },
    };
  },
});

const decide = (verb: 'approve' | 'reject', status: 'approved' | 'rejected', summary: string) =>
  defineRoute({
    method: 'POST',
    path: `/v1/datasets/{id}/relations/{relationId}/${verb}`,
    operationId: `${verb}Relation`,
    summary,
    access: 'datasets:write',
    servedBy: 'api',
    request: { params: relationParams, body: z.strictObject({ note: noteBody }), bodyOptional: true },
    answers: { 200: { description: 'The relation.', schema: relationSchema } },
    handle: async (call) => {
      const { deps, params, body: asked } = call;
      const before = await shownRelation(call);
      const note = asked.note === undefined ? {} : { note: asked.note };
      const after = await relationFamily(deps.documents).change(before.place, (body) =>
        body === undefined ? undefined : { ...body, ...note, status, decidedAt: deps.clock.now() },
      );
      if (after === undefined) throw noSuch(params.relationId, params.id);
      return { status: 200, body: relationView({ ...before, body: after }, params.id) };
    },
  });

const deleteRelation = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/{id}/relations/{relationId}',
  operationId: 'deleteRelation',
  summary: 'Delete a relation',
  description: 'It may be proposed again when tables are measured; one that is rejected stays and is not.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: relationParams },
  answers: { 204: { description: 'It is gone.' } },
  problems: ['CONFLICT'],
  handle: async (call) => {
    const { place, version } = await shownRelation(call);
    if ((await relationFamily(call.deps.documents).remove(place, version)) === 'moved')
      throw new Fault('CONFLICT', 'The relation was changed meanwhile.');
    return { status: 204, body: undefined };
  },
});

const measureRelations = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/measure-relations',
  operationId: 'measureRelations',
  summary: 'Compare the tables of a dataset, and measure its relations anew',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: datasetParams, headers: { ...keyHeader, ...preferHeader } },
  answers: {
    200: { ...submitAnswers[200], headers: { ...submitAnswers[200].headers, ...replayAnswer } },
    202: { ...submitAnswers[202], headers: { ...submitAnswers[202].headers, ...replayAnswer } },
  },
  problems: ['IDEMPOTENCY_KEY_REUSED', 'FLOW_DISABLED'],
  handle: async (call) => {
    const { deps, caller, params, request } = call;
    const { id } = await datasetOf(deps.catalog, caller, params.id);
    const asked = { kind: 'relation-pass', input: { dataset: id } };
    const key = keyOf(request);
    return submitReply(call, { ...asked, flow: id, ...(key !== undefined && namedBy(caller, asked, key)) });
  },
});

export const relationRoutes = [
  listRelations,
  createRelation,
  getRelation,
  decide('approve', 'approved', 'Approve a relation'),
  decide('reject', 'rejected', 'Reject a relation: it is never proposed again'),
  deleteRelation,
  measureRelations,
];
