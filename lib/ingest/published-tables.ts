import type { DatasetId, Scope } from '../core/ids.ts';
import type { Catalog } from './catalog.ts';
import { isPublished, type PublishedTable } from './manifest.ts';

const PAGE = 100;

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
