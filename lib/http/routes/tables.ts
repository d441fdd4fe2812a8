import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, SnapshotId, TableId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import type { TableRecord } from '../../ingest/catalog.ts';
import { isStale } from '../../ingest/derive/graph.ts';
import type { Deletion } from '../../ingest/deletion/ports.ts';
import { isPublished, publishedRef } from '../../ingest/manifest.ts';
import { readShown } from '../../ingest/shown.ts';
import { tableIdOf } from '../../ingest/stages/place.ts';
import type { PageRequest } from '../../job/ports.ts';
import type { Caller } from '../auth.ts';
import type { HttpDeps } from '../deps.ts';
import { deletedQuery, deletionView, optionalDeletionFields } from '../deletion-view.ts';
import { listReply, nameQuery, pageOfOne } from '../list.ts';
import { columnQuery, detailOf, manifestFields } from '../manifest-view.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime, listOf, pageQuery } from '../schemas.ts';
import { datasetOf, datasetParams } from './datasets.ts';

export const tableParams = datasetParams.extend({ tableId: idSchema<TableId>('tbl') });

export const tableKindSchema = z
  .enum(['uploaded', 'derived'])
  .meta({ description: 'Whether its rows come from files, or from SQL over other tables.' });

const tableFields = {
  id: idSchema<TableId>('tbl'),
  datasetId: idSchema<DatasetId>('ds'),
  name: z.string(),
  kind: tableKindSchema,
  snapshot: z.strictObject({ id: idSchema<SnapshotId>('snap'), sequence: z.int() }),
  createdAt: isoTime,
};
export const tableSchema = z.strictObject({ ...tableFields, ...optionalDeletionFields }).meta({ id: 'Table' });

export const staleSchema = z.boolean().meta({
  description: 'Of a derived table: a source of it is published as another snapshot than the one that was read.',
});
const tableDetailSchema = z
  .strictObject({ ...tableFields, stale: staleSchema.optional(), ...manifestFields })
  .meta({ id: 'TableDetail' });

type Current = NonNullable<TableRecord['current']>;

export const tableKind = ({ sources }: Current) => (sources === undefined ? 'uploaded' : 'derived');

/** Undefined until something of the table is published: before that it does not exist for callers. */
function tableView(
  table: TableRecord & { readonly deletion?: Deletion | undefined },
): z.input<typeof tableSchema> | undefined {
  const { id, dataset, name, current, createdAt, deletion } = table;
  if (!current) return undefined;
  const snapshot = { id: current.snapshot, sequence: current.sequence };
  const deleted = deletion && deletionView(deletion);
  return { id, datasetId: dataset, name, kind: tableKind(current), snapshot, createdAt: toIso(createdAt), ...deleted };
}

/** The caller's table, which exists for callers once something of it is published. */
export async function publishedTable(deps: HttpDeps, caller: Caller, params: { id: DatasetId; tableId: TableId }) {
  const { tenant, workspace } = caller;
  const table = await deps.catalog.getTable({ tenant, workspace }, params.id, params.tableId);
  const view = table && tableView(table);
  if (!isPublished(table) || !view)
    throw new Fault('NOT_FOUND', `There is no table ${params.tableId} in this dataset.`);
  return { view, current: table.current, table, manifest: publishedRef(table) };
}

const listTables = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables',
  operationId: 'listTables',
  summary: 'List the published tables of a dataset',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: datasetParams, query: z.strictObject({ ...pageQuery, ...nameQuery, ...deletedQuery }) },
  answers: { 200: { description: 'A page of tables.', schema: listOf(tableSchema) } },
  handle: async (call) => {
    const { catalog } = call.deps;
    const { tenant, workspace, id } = await datasetOf(catalog, call.caller, call.params.id);
    const scope = { tenant, workspace };
    const { name, deleted } = call.query;
    const asked = name === undefined ? undefined : tableIdOf(scope, id, name);
    const read = async (page: PageRequest) => {
      if (deleted === 'true') return catalog.listDeletedTables(scope, id, page);
      if (asked === undefined) return catalog.listTables(scope, id, page);
      return pageOfOne(await catalog.getTable(scope, id, asked));
    };
    return listReply(call, {
      name: 'tables',
      read,
      view: (table) => (asked === undefined || table.id === asked ? tableView(table) : undefined),
    });
  },
});

const getTable = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}',
  operationId: 'getTable',
  summary: 'Get a table with its columns and their profile',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: tableParams, query: z.strictObject(columnQuery) },
  answers: { 200: { description: 'The table as its published snapshot has it.', schema: tableDetailSchema } },
  handle: async ({ deps, caller, params, query }) => {
    const { view, current, manifest } = await publishedTable(deps, caller, params);
    const detail = detailOf(await readShown(deps, manifest), query);
    if (current.sources === undefined) return { status: 200, body: { ...view, ...detail } };
    const sources = current.sources.map(({ table }) => deps.catalog.getTable(caller, params.id, table));
    const found = (await Promise.all(sources)).filter((table) => table !== undefined);
    return { status: 200, body: { ...view, stale: isStale(found, current.sources), ...detail } };
  },
});

export const tableRoutes = [listTables, getTable];
