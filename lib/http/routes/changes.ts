import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { toIso } from '../../core/time.ts';
import { renameSchema } from '../../ingest/manifest-schema.ts';
import { changeKinds, changeStatuses, type SchemaChange, type TablePlace } from '../../ingest/drift/changes.ts';
import { changeNamed, confirmRename, rejectRename, undoChange } from '../../ingest/drift/decide-change.ts';
import type { Caller } from '../auth.ts';
import { fittingPage } from '../changes-page.ts';
import type { HttpDeps } from '../deps.ts';
import { listReply } from '../list.ts';
import { defineRoute } from '../route.ts';
import { isoTime, listOf, pageQuery, queryInt } from '../schemas.ts';
import { publishedTable, tableParams } from './tables.ts';

const side = z.strictObject({ column: z.string(), type: z.string().optional() });
const changeSchema = z.lazy(() =>
  z
    .strictObject({
      id: z.string().meta({ description: 'The sequence of the snapshot, `-`, and the place among its changes.' }),
      sequence: z.int().meta({ description: 'Of the snapshot that has the change.' }),
      kind: z.enum(changeKinds),
      before: side.optional(),
      after: side.optional(),
      candidates: z
        .array(renameSchema)
        .optional()
        .meta({ description: 'What the removed column may be called now, the likeliest first.' }),
      status: z.enum(changeStatuses),
      decidedBy: z.string().optional().meta({ description: 'The id of the API key.' }),
      decidedAt: isoTime.optional(),
    })
    .meta({ id: 'SchemaChange' }),
);

function changeView({ decision, candidates, ...change }: SchemaChange) {
  return {
    ...change,
    sequence: Number(change.id.split('-')[0]),
    ...(candidates && { candidates: candidates.map((each) => ({ ...each, reasons: [...each.reasons] })) }),
    ...(decision?.by !== undefined && { decidedBy: decision.by }),
    ...(decision && { decidedAt: toIso(decision.at) }),
  };
}

type Params = z.output<typeof tableParams>;
const placeOf = ({ tenant, workspace }: Caller, { id, tableId }: Params): TablePlace => ({
  ...{ tenant, workspace, dataset: id, table: tableId },
});

/** Snapshots whose changes are on a page: each has a manifest to be read. */
const MOST_SNAPSHOTS = 20;

const listChanges = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}/changes',
  operationId: 'listChanges',
  summary: 'List how the columns of a table changed, the newest snapshot first',
  access: 'datasets:read',
  servedBy: 'api',
  request: {
    params: tableParams,
    query: z.strictObject({
      ...pageQuery,
      limit: queryInt(1, MOST_SNAPSHOTS)
        .default(MOST_SNAPSHOTS)
        .meta({
          override: { type: 'integer', minimum: 1, maximum: MOST_SNAPSHOTS, default: MOST_SNAPSHOTS },
          description: 'Snapshots to look at.',
        }),
      status: z.enum(changeStatuses).optional(),
    }),
  },
  answers: { 200: { description: 'All changes of some snapshots.', schema: listOf(changeSchema) } },
  handle: async (call) => {
    const { deps, caller, params, query } = call;
    await publishedTable(deps, caller, params);
    const place = placeOf(caller, params);
    return listReply(call, {
      name: 'changes',
      read: (page) => fittingPage(deps, place, page),
      view: (change) => (query.status === undefined || query.status === change.status ? changeView(change) : undefined),
    });
  },
});

const changeParams = tableParams.extend({ changeId: z.string().min(1).max(40) });

const getChange = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}/changes/{changeId}',
  operationId: 'getChange',
  summary: 'Get a change of a table',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: changeParams },
  answers: { 200: { description: 'The change.', schema: changeSchema } },
  handle: async ({ deps, caller, params }) => ({
    status: 200,
    body: changeView(await changeNamed(deps, placeOf(caller, params), params.changeId)),
  }),
});

const deciding = {
  method: 'POST',
  access: 'datasets:write',
  servedBy: 'api',
  problems: ['CONFLICT'],
} as const;
const column = z.string().min(1).max(1000).optional().meta({
  description: 'What the removed column is called now; the likeliest candidate when absent.',
});

const confirmChange = defineRoute({
  ...deciding,
  path: '/v1/datasets/{id}/tables/{tableId}/changes/{changeId}/confirm',
  operationId: 'confirmChange',
  summary: 'Say that a removed column has another name now',
  description:
    'What people said of the old name goes along; what was said of the new one already stays. May be repeated.',
  request: { params: changeParams, body: z.lazy(() => z.strictObject({ column })), bodyOptional: true },
  answers: { 200: { description: 'The change.', schema: changeSchema } },
  handle: async ({ deps, caller, params, body }) => {
    const asked = { id: params.changeId, column: body.column, by: caller.key };
    return { status: 200, body: changeView(await confirmRename(deps, placeOf(caller, params), asked)) };
  },
});

const rejectChange = defineRoute({
  ...deciding,
  path: '/v1/datasets/{id}/tables/{tableId}/changes/{changeId}/reject',
  operationId: 'rejectChange',
  summary: 'Say that a removed column has no other name',
  request: { params: changeParams },
  answers: { 200: { description: 'The change.', schema: changeSchema } },
  handle: async ({ deps, caller, params }) => {
    const asked = { id: params.changeId, by: caller.key };
    return { status: 200, body: changeView(await rejectRename(deps, placeOf(caller, params), asked)) };
  },
});

const undoChangeRoute = defineRoute({
  ...deciding,
  path: '/v1/datasets/{id}/tables/{tableId}/changes/{changeId}/undo',
  operationId: 'undoChange',
  summary: 'Open a decided rename again, also one that was applied by itself',
  description: 'What was taken along is taken back, but for what somebody has changed since.',
  request: { params: changeParams },
  answers: { 200: { description: 'The change.', schema: changeSchema } },
  handle: async ({ deps, caller, params }) => {
    const asked = { id: params.changeId, by: caller.key };
    return { status: 200, body: changeView(await undoChange(deps, placeOf(caller, params), asked)) };
  },
});

const MOST_AT_ONCE = 50;
const confirmedSchema = z.lazy(() =>
  z.strictObject({
    results: z.array(
      z.strictObject({
        id: z.string(),
        change: changeSchema.optional(),
        problem: z.strictObject({ code: z.string(), detail: z.string() }).optional(),
      }),
    ),
  }),
);

type Confirmed = z.input<typeof confirmedSchema>['results'][number];

async function confirmOne(
  deps: HttpDeps,
  place: TablePlace,
  asked: { readonly id: string; readonly column?: string | undefined },
  by: string,
): Promise<Confirmed> {
  try {
    return { id: asked.id, change: changeView(await confirmRename(deps, place, { ...asked, by })) };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { id: asked.id, problem: { code: thrown.code, detail: thrown.detail } };
  }
}

const confirmChanges = defineRoute({
  ...deciding,
  path: '/v1/datasets/{id}/tables/{tableId}/changes/confirm',
  operationId: 'confirmChanges',
  summary: 'Confirm several renames',
  description: 'Each by itself, in the order given: one that cannot be confirmed keeps no other back.',
  request: {
    params: tableParams,
    body: z.lazy(() =>
      z.strictObject({
        changes: z
          .array(z.strictObject({ id: z.string().min(1).max(40), column }))
          .min(1)
          .max(MOST_AT_ONCE),
      }),
    ),
  },
  answers: { 200: { description: 'What became of each.', schema: confirmedSchema } },
  handle: async ({ deps, caller, params, body }) => {
    const results: Confirmed[] = [];
    for (const asked of body.changes) results.push(await confirmOne(deps, placeOf(caller, params), asked, caller.key));
    return { status: 200, body: { results } };
  },
});

export const changeRoutes = [listChanges, confirmChanges, getChange, confirmChange, rejectChange, undoChangeRoute];
