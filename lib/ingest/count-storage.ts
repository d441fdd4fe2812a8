// Counts what a workspace stores from its rows, and sets the number that writes count along: after an upgrade from a release that did not
// count, and wherever somebody doubts it.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import type { DatasetId, Scope } from '../core/ids.ts';
import { defineJob, type JobContext, type JobKind } from '../job/registry.ts';
import type { TableRow } from './catalog.ts';
import { allOf, rowsOf } from './deletion/rows.ts';
import type { IngestDeps } from './pipeline.ts';
import { bytesOfSnapshots } from './usage.ts';

type Deps = Pick<IngestDeps, 'catalog' | 'objects'>;

/** Counts until nothing was written meanwhile, so often at most. */
const ROUNDS = 5;

const input = z.lazy(() => z.strictObject({}));

/** Fault CONFLICT, where the workspace stored or removed something during each count. */
export const createCountStorage = ({ catalog, objects }: Deps): JobKind<Record<string, never>> =>
  defineJob({
    kind: 'count-storage',
    input,
    run: async (ctx) => {
      const scope = { tenant: ctx.ref.tenant, workspace: ctx.ref.workspace };
      for (let round = 0; round < ROUNDS; round++) {
        const before = await catalog.getUsage(scope);
        const found = await countRows(ctx, { catalog, objects }, scope);
        const set = { ...found, at: ctx.clock.now() };
        if ((await catalog.countUsage(scope, before, set)) === 'moved') continue;
        return { ...found, bytes: found.fileBytes + found.tableBytes, before: before.bytes };
      }
      throw new Fault('CONFLICT', 'Something was stored or removed during each count: count at a quieter time.');
    },
  });

async function countRows(ctx: JobContext, deps: Deps, scope: Scope) {
  const total = { fileBytes: 0, tableBytes: 0 };
  let tables = 0;
  const datasets = await allOf((page) => deps.catalog.listDatasets(scope, page));
  // What is deleted is stored until it is purged.
  const deleted = await allOf((page) => deps.catalog.listDeletedDatasets(scope, page));
  for (const { id } of [...datasets, ...deleted]) {
    for await (const { size } of rowsOf((page) => deps.catalog.listFiles(scope, id, page))) total.fileBytes += size;
    for await (const table of rowsOf((page) => deps.catalog.listTableRows(scope, id, page))) {
      ctx.signal.throwIfAborted();
      total.tableBytes += await bytesOfTable(deps, scope, id, table);
      ctx.progress(++tables, 0, 'tables');
    }
  }
  return total;
}

const bytesOfTable = async (deps: Deps, scope: Scope, dataset: DatasetId, { id }: TableRow): Promise<number> =>
  bytesOfSnapshots(deps, await allOf((page) => deps.catalog.listSnapshots(scope, dataset, id, page)));
