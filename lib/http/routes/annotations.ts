import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, TableId } from '../../core/ids.ts';
import { annotationFamily, annotationName, annotationSchema } from '../../ingest/annotations.ts';
import { readManifest } from '../../ingest/manifest.ts';
import { NONE } from '../../ingest/pii/tags.ts';
import { SCRUB_KIND } from '../../ingest/scrub.ts';
import { afterIngest } from '../../ingest/search/after-ingest.ts';
import { saidOf } from '../../ingest/shown.ts';
import { submitJob } from '../../job/submit/submit.ts';
import type { Caller } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { conditionHeaders, etagAnswer, etagOf, versionToReplace } from '../etag.ts';
import { defineRoute, type Ids } from '../route.ts';
import { annotatedSchema } from '../manifest-view.ts';
import { publishedTable, tableParams } from './tables.ts';

const path = '/v1/datasets/{id}/tables/{tableId}/annotation';
const query = z.strictObject({
  column: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'The name of the column; of the table itself where it is left out.' }),
});

type Params = z.output<typeof tableParams>;
type Query = z.output<typeof query>;

const placeOf = ({ tenant, workspace }: Caller, { id, tableId }: Params, { column }: Query) => ({
  tenant,
  workspace,
  group: id,
  name: annotationName(tableId, column),
});

const none = ({ column }: Query): Fault =>
  new Fault('NOT_FOUND', column === undefined ? 'Nothing is said of this table.' : `Nothing is said of "${column}".`);

const getAnnotation = defineRoute({
  method: 'GET',
  path,
  operationId: 'getAnnotation',
  summary: 'Get what people say of a table or a column',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: tableParams, query },
  answers: { 200: { description: 'The annotation.', schema: annotatedSchema, headers: etagAnswer } },
  handle: async ({ deps, caller, params, query: asked }) => {
    await publishedTable(deps, caller, params);
    const found = await annotationFamily(deps.documents).get(placeOf(caller, params, asked));
    if (found === undefined) throw none(asked);
    return { status: 200, body: saidOf(found), headers: etagOf(found.version) };
  },
});

const putAnnotation = defineRoute({
  method: 'PUT',
  path,
  operationId: 'putAnnotation',
  summary: 'Say what a table or a column is',
  description:
    'Replaces the annotation as a whole. It goes before whatever a pass finds, stays when the column is gone from a snapshot, and is there again ' +
    'when the column is. A piiTag takes the values of the column out of samples and profile from this answer on, and out of the store a little later.',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: tableParams, query, headers: conditionHeaders, body: annotationSchema.unwrap() },
  answers: {
    200: { description: 'The annotation as it is now.', schema: annotatedSchema, headers: etagAnswer },
    201: { description: 'It is new.', schema: annotatedSchema, headers: etagAnswer },
  },
  problems: ['CONFLICT', 'PRECONDITION_FAILED'],
  handle: async ({ deps, caller, params, query: asked, body, request, ids }) => {
    if (asked.column === undefined && body.piiTag !== undefined) throw ofColumns();
    await checkColumn(deps, caller, params, asked);
    const family = annotationFamily(deps.documents);
    const place = placeOf(caller, params, asked);
    const found = await family.get(place);
    const after = versionToReplace(request, found?.version ?? 0);
    if ((await family.put(place, body, after)) === 'moved') throw moved();
    const version = after + 1;
    await followLater(deps, caller, ids, { ...params, tagged: body.piiTag !== undefined && body.piiTag !== NONE });
    return { status: after === 0 ? 201 : 200, body: { ...body, version }, headers: etagOf(version) };
  },
});

const removeAnnotation = defineRoute({
  method: 'DELETE',
  path,
  operationId: 'removeAnnotation',
  summary: 'Take back what people say of a table or a column',
  access: 'datasets:write',
  servedBy: 'api',
  request: { params: tableParams, query, headers: { 'If-Match': conditionHeaders['If-Match'] } },
  answers: { 204: { description: 'It is gone.' } },
  problems: ['CONFLICT', 'PRECONDITION_FAILED'],
  handle: async ({ deps, caller, params, query: asked, request, ids }) => {
    await publishedTable(deps, caller, params);
    const family = annotationFamily(deps.documents);
    const place = placeOf(caller, params, asked);
    const found = await family.get(place);
    if (found === undefined) throw none(asked);
    const after = versionToReplace(request, found.version);
    if ((await family.remove(place, after)) === 'moved') throw moved();
    await followLater(deps, caller, ids, { ...params, tagged: false });
    return { status: 204, body: undefined };
  },
});

const moved = (): Fault => new Fault('CONFLICT', 'Somebody has changed it at the same time.');

const ofColumns = (): Fault =>
  new Fault('VALIDATION_FAILED', 'A piiTag is of a column.', {
    errors: [{ pointer: '#/piiTag', detail: 'Name the column in the query.' }],
  });

/** Of what the published snapshot has: a name that is wrong would be kept for ever and mean nothing. */
async function checkColumn(deps: HttpDeps, caller: Caller, params: Params, { column }: Query): Promise<void> {
  const { manifest } = await publishedTable(deps, caller, params);
  if (column === undefined) return;
  const { columns } = await readManifest(deps, manifest);
  if (!columns.some(({ name }) => name === column))
    throw new Fault('NOT_FOUND', `The table has no column "${column}".`);
}

/** What is read has changed already. Values that were tagged are taken out of the store, and the index of the search follows in any case. */
async function followLater(
  deps: HttpDeps,
  { tenant, workspace }: Caller,
  { correlationId }: Ids,
  { id, tableId, tagged }: { readonly id: DatasetId; readonly tableId: TableId; readonly tagged: boolean },
): Promise<void> {
  const next = tagged ? { kind: SCRUB_KIND, input: { dataset: id, table: tableId } } : afterIngest(id);
  await submitJob(deps, { scope: { tenant, workspace }, ...next, correlationId });
}

export const annotationRoutes = [getAnnotation, putAnnotation, removeAnnotation];
