// Rows of a query are kept for a while. What they hold was shown under the masks of their time; those of now may be more.
import * as z from 'zod';
import { must } from '../../core/check.ts';
import type { DatasetId, Scope } from '../../core/ids.ts';
import { idOf } from '../id-of.ts';
import { isGone, type ManifestDeps, readManifest } from '../manifest.ts';
import { createMasks, type MaskDeps } from '../masks.ts';

/** A table as it was when a statement that mentions it was run. */
export const tableReadSchema = z.lazy(() =>
  z.strictObject({
    table: idOf('tbl'),
    snapshot: idOf('snap'),
    /** Object key. */
    manifest: z.string(),
    /** Columns that the statement could not see. */
    masked: z.array(z.string()),
  }),
);
export type TableRead = z.infer<typeof tableReadSchema>;

interface Read {
  readonly scope: Scope;
  readonly dataset: DatasetId;
  readonly tables: readonly TableRead[];
}

/** Whether a column of a table is masked that was not then. True as well where a table is gone, since nobody knows what it held. */
export async function isMaskedSince(
  { catalog, documents, objects }: MaskDeps & ManifestDeps,
  { scope, dataset, tables }: Read,
): Promise<boolean> {
  const manifests = tables.map(({ table, snapshot, manifest: key }) =>
    readManifest({ catalog, objects }, { ...scope, dataset, table, snapshot, key }),
  );
  try {
    const read = (await Promise.all(manifests)).map((manifest, at) => ({
      id: must(tables[at], 'the table of a manifest').table,
      manifest,
    }));
    const now = await createMasks({ catalog, documents })({ scope, dataset }, read);
    return now.some((masked, at) => masked.some((column) => tables[at]?.masked.includes(column) !== true));
  } catch (thrown) {
    if (isGone(thrown)) return true;
    throw thrown;
  }
}
