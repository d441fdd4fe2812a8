// The tables of a dataset as relations are found between them: what is published now, from the manifests.
import { eachOf } from '../../core/each-of.ts';
import type { TableRecord } from '../catalog.ts';
import type { Manifest } from '../manifest-schema.ts';
import { isPublished, type ManifestDeps, publishedRef, readManifest } from '../manifest.ts';
import type { RelatedTable } from './find.ts';
import type { Published } from './relation.ts';

/** Tables of a dataset that are looked at in one run. */
export const MOST_TABLES = 500;
const READS_AT_ONCE = 8;

export const snapshotsOf = (tables: readonly TableRecord[]): Published =>
  new Map(tables.flatMap(({ id, current }) => (current ? [[id, current.snapshot] as const] : [])));

/** With the columns of their manifests. */
export async function relatedTables(deps: ManifestDeps, tables: readonly TableRecord[]): Promise<RelatedTable[]> {
  const turns = eachOf(READS_AT_ONCE);
  return Promise.all(
    tables.filter(isPublished).map((table) =>
      turns(async () => {
        const { id, name, current } = table;
        return relatedTable({ id, name, snapshot: current.snapshot }, await readManifest(deps, publishedRef(table)));
      }),
    ),
  );
}

const relatedTable = (
  named: Pick<RelatedTable, 'id' | 'name' | 'snapshot'>,
  { rowCount, columns, parts }: Pick<Manifest, 'rowCount' | 'columns' | 'parts'>,
): RelatedTable => ({
  ...named,
  rows: rowCount,
  columns: columns.map(({ name, type, profile }) => ({ column: name, type, ...countsIn(profile) })),
  parts,
});

/** What a profile counts of all rows of a table; a profile of some rows is as good as none. */
export const countsIn = (
  profile: Pick<NonNullable<Manifest['columns'][number]['profile']>, 'rows' | 'nulls' | 'distinct'> | undefined,
): Pick<RelatedTable['columns'][number], 'nulls' | 'distinct'> =>
  profile === undefined || profile.rows !== undefined
    ? { nulls: 0, distinct: undefined }
    : { nulls: profile.nulls, distinct: profile.distinct };
