// What a table is made of, and what is made of it, through any number of derived tables between.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { SnapshotId, TableId } from '../../core/ids.ts';

import { downstreamOf, isStale, type Reached, upstreamOf } from '../../ingest/derive/graph.ts';
import type { PublishedTable } from '../../ingest/manifest.ts';
import { publishedTables } from '../../ingest/published-tables.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { datasetOf } from './datasets.ts';
import { staleSchema, tableKind, tableKindSchema, tableParams } from './tables.ts';

const node = {
  tableId: idSchema<TableId>('tbl'),
  name: z.string(),
  kind: tableKindSchema,
  stale: staleSchema.optional(),
};
const reached = z
  .array(z.strictObject({ ...node, distance: z.int().meta({ description: 'Derived tables on the shortest way.' }) }))
  .meta({ description: 'Nearest first.' });
const version = z.strictObject({ id: idSchema<SnapshotId>('snap'), sequence: z.int() });

const lineageSchema = z
  .strictObject({
    ...node,
    upstream: reached,
    downstream: reached,
    reads: z
      .array(
        z.strictObject({
          tableId: idSchema<TableId>('tbl').meta({ description: 'The derived table.' }),
          sourceId: idSchema<TableId>('tbl'),
          read: version.meta({ description: 'The snapshot that its rows were made of.' }),
          published: version.optional().meta({ description: 'The snapshot of the source that is published now.' }),
        }),
      )
      .meta({ description: 'Which table was made of which, among these.' }),
  })
  .meta({ id: 'Lineage' });

type Tables = ReadonlyMap<TableId, PublishedTable>;

function nodeOf(all: Tables, { id, name, current }: PublishedTable) {
  const stale = current.sources && { stale: isStale([...all.values()], current.sources) };
  return { tableId: id, name, kind: tableKind(current), ...stale };
}

const nodesOf = (all: Tables, found: readonly Reached[]) =>
  found.flatMap(({ id, distance }) => {
    const table = all.get(id);
    return table === undefined ? [] : [{ ...nodeOf(all, table), distance }];
  });

const readsOf = (all: Tables, { id, current: { sources = [] } }: PublishedTable) =>
  sources.map(({ table, snapshot, sequence }) => {
    const published = all.get(table)?.current;
    return {
      ...{ tableId: id, sourceId: table, read: { id: snapshot, sequence } },
      ...(published && { published: { id: published.snapshot, sequence: published.sequence } }),
    };
  });

export const getLineage = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}/lineage',
  operationId: 'getLineage',
  summary: 'Get what a table is made of, and what is made of it',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: tableParams },
  answers: { 200: { description: 'The tables around it, and the snapshots that were read.', schema: lineageSchema } },
  handle: async ({ deps, caller, params: { id, tableId } }) => {
    const { tenant, workspace } = await datasetOf(deps.catalog, caller, id);
    const tables = await publishedTables(deps.catalog, { tenant, workspace }, id);
    const all = new Map(tables.map((table) => [table.id, table]));
    const own = all.get(tableId);
    if (own === undefined) throw new Fault('NOT_FOUND', `There is no table ${tableId} in this dataset.`);
    const [up, down] = [upstreamOf(tables, tableId), downstreamOf(tables, tableId)];
    const among = [...up.toReversed(), { id: tableId }, ...down].flatMap((each) => all.get(each.id) ?? []);
    const body = {
      ...nodeOf(all, own),
      upstream: nodesOf(all, up),
      downstream: nodesOf(all, down),
      reads: among.flatMap((table) => readsOf(all, table)),
    };
    return { status: 200, body };
  },
});
