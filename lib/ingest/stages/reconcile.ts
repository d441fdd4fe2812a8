import { derivedId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage } from '../../pipeline/stage.ts';
import type { Catalog, Manifest } from '../catalog.ts';
import { readManifest } from '../manifest.ts';
import type { Column } from '../reading/types.ts';
import { type Parsed, type Reconciled, received, reconciled } from './outputs.ts';

interface Deps {
  readonly catalog: Catalog;
  readonly objects: Objects;
}

/**
 * Compares the columns with those of the published snapshot, and makes this one's row, PARTIAL. A sequence is drawn by one run of receive
 * only, so the row that is found when this stage is run again is its own.
 */
export const createReconcile = ({ catalog, objects }: Deps) =>
  defineStage({
    ...reconciled,
    run: async (ctx, { columns, rowCount }: Parsed) => {
      const { dataset, table, sequence } = await ctx.outputOf(received);
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
    },
  });

/** By exact name and type. */
export function changesBetween(before: Manifest['columns'], after: readonly Column[]): Reconciled['changes'] {
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
