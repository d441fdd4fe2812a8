// Counts what a workspace stores from its rows, and sets the number that writes count along: after an upgrade from a release that did not
// count, and wherever somebody doubts it.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import type { DatasetId, Scope } from '../core/ids.ts';
import { defineJob, type JobContext, type JobKind } from '../job/registry.ts';
import type { Page } from '../job/ports.ts';
import type { TableRecord } from './catalog.ts';
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

async function* all<T>(list: (page: { limit: number; cursor?: string | undefined }) => Promise<Page<T>>) {
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 100, cursor });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function countRows(ctx: JobContext, deps: Deps, scope: Scope) {
  const total = { fileBytes: 0, tableBytes: 0 };
  let tables = 0;
  for await (const { id } of all((page) => deps.catalog.listDatasets(scope, page))) {
    for await (const { size } of all((page) => deps.catalog.listFiles(scope, id, page))) total.fileBytes += size;
    for await (const table of all((page) => deps.catalog.listTables(scope, id, page))) {
      ctx.signal.throwIfAborted();
      total.tableBytes += await bytesOfTable(deps, scope, id, table);
      ctx.progress(++tables, 0, 'tables');
    }
  }
  return total;
}

async function bytesOfTable({ catalog, objects }: Deps, scope: Scope, dataset: DatasetId, { id }: TableRecord) {
  const snapshots = [];
  for await (const each of all((page) => catalog.listSnapshots(scope, dataset, id, page))) snapshots.push(each);
  return bytesOfSnapshots(objects, snapshots);
}
