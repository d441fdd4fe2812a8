import type { DatasetId, Scope } from '../core/ids.ts';
import type { Catalog, TableRecord } from './catalog.ts';

/** A table of which something is published. */
export type PublishedTable = TableRecord & { readonly current: NonNullable<TableRecord['current']> };

const PAGE = 100;

const isPublished = (table: TableRecord): table is PublishedTable => table.current !== undefined;

/** Those of a dataset, up to `most`. */
export async function publishedTables(
  catalog: Pick<Catalog, 'listTables'>,
  scope: Scope,
  dataset: DatasetId,
  most = Number.POSITIVE_INFINITY,
): Promise<PublishedTable[]> {
  const found: PublishedTable[] = [];
  let cursor: string | undefined;
  do {
    const page = await catalog.listTables(scope, dataset, { limit: PAGE, cursor });
    found.push(...page.items.filter(isPublished));
    cursor = page.cursor;
  } while (cursor !== undefined && found.length < most);
  return found.slice(0, most);
}
