import { must } from '../../core/check.ts';
import { type DatasetId, derivedId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { Catalog, Manifest } from '../catalog.ts';
import { readManifest } from '../manifest.ts';
import type { Column } from '../reading/types.ts';
import {
  type Parsed,
  type ParsedTable,
  received,
  type ReceivedTable,
  reconciled,
  type ReconciledTable,
} from './outputs.ts';

interface Deps {
  readonly catalog: Catalog;
  readonly objects: Objects;
}

/**
 * Compares the columns with those of the published snapshot, and makes this one's row, PARTIAL. A sequence is drawn by one run of receive
 * only, so the row that is found when this stage is run again is its own.
 */
export const createReconcile = (deps: Deps) =>
  defineStage({
    ...reconciled,
    run: async (ctx, read: Parsed) => {
      const { dataset, tables: named } = await ctx.outputOf(received);
      const tables: ReconciledTable[] = [];
      for (const [index, table] of named.entries())
        tables.push(await reconcileTable(ctx, deps, dataset, table, must(read.tables[index], 'a table that was read')));
      return { tables };
    },
  });

async function reconcileTable(
  ctx: StageContext,
  { catalog, objects }: Deps,
  dataset: DatasetId,
  { table, sequence }: ReceivedTable,
  { columns, rowCount }: ParsedTable,
): Promise<ReconciledTable> {
  const { tenant, workspace, id: job } = ctx.ref;
  const current = (await catalog.getTable({ tenant, workspace }, dataset, table))?.current;
  const before = current === undefined ? undefined : await readManifest(objects, current.manifest);
  const snapshot = derivedId('snap', tenant, workspace, table, String(sequence), job);
  await catalog.putSnapshot({
    tenant,
    workspace,
    dataset,
    table,
    id: snapshot,
    sequence,
    status: 'PARTIAL',
    job,
    rowCount,
    columnCount: columns.length,
    createdAt: ctx.clock.now(),
  });
  return { snapshot, changes: changesBetween(before?.columns ?? [], columns) };
}

/** By exact name and type. */
export function changesBetween(before: Manifest['columns'], after: readonly Column[]): ReconciledTable['changes'] {
  const types = new Map(before.map(({ name, type }) => [name, type]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name }) => !types.has(name)).map(({ name }) => name),
    removed: before.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    typeChanged: after.flatMap(({ name, type }) => {
      const from = types.get(name);
      return from === undefined || from === type ? [] : [{ column: name, from, to: type }];
    }),
  };
}
