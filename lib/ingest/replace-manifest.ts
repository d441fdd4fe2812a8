// How passes write what they find: a new manifest of the same rows takes the place of the published one, which is removed. Whoever reads the old
// one at that moment reads again.
import { Fault } from '../core/fault.ts';
import type { Objects } from '../core/objects.ts';
import type { JobContext } from '../job/registry.ts';
import { writeOnce } from '../pipeline/write-once.ts';
import type { Catalog, TableRecord } from './catalog.ts';
import type { Manifest } from './manifest-schema.ts';
import { isPublished, publishedRef, readManifest } from './manifest.ts';
import type { TablePlace } from './shown.ts';
import { attemptKey } from './stages/place.ts';

const TRIES = 10;

export interface ReplaceDeps {
  readonly catalog: Catalog;
  readonly objects: Objects;
}

export type Current = NonNullable<TableRecord['current']>;

/**
 * Makes of the published manifest what `update` does (undefined: it is right as it is), again where another was published or written in
 * between. Answers what is published at the end. Throws NOT_FOUND for a table that is not published, CONFLICT where it changes all the time.
 */
export async function replaceManifest(
  ctx: Pick<JobContext, 'ref' | 'epoch' | 'signal'>,
  { catalog, objects }: ReplaceDeps,
  { scope, dataset, table: id }: TablePlace,
  update: (manifest: Manifest, current: Current) => Promise<Manifest | undefined>,
): Promise<Manifest> {
  for (let turn = 0; turn < TRIES; turn += 1) {
    ctx.signal.throwIfAborted();
    const table = await catalog.getTable(scope, dataset, id);
    if (!isPublished(table)) throw new Fault('NOT_FOUND', `There is no table ${id} in this dataset.`);
    const before = await readManifest({ catalog, objects }, publishedRef(table));
    const after = await update(before, table.current);
    if (after === undefined) return before;
    const manifest = attemptKey(ctx, dataset, id, `manifest-${turn}.json`);
    await writeOnce(objects, manifest, JSON.stringify(after));
    if ((await catalog.replaceManifest(table, { from: table.current, manifest })) === 'replaced') {
      await objects.delete(table.current.manifest);
      return after;
    }
    await objects.delete(manifest);
  }
  throw new Fault('CONFLICT', 'The table is changed by others all the time.');
}
