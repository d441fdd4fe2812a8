// A whole table as a file behind a URL. Parquet of one part is the part itself, which is there already, whatever its size.
import { must } from '../core/check.ts';
import type { Documents } from '../core/documents.ts';
import { Fault } from '../core/fault.ts';
import type { DatasetId, Scope, TableId } from '../core/ids.ts';
import type { Objects } from '../core/objects.ts';
import { type Clock, later } from '../core/time.ts';
import type { ResultFormat } from '../query/types.ts';
import type { Catalog } from './catalog.ts';
import { isPublished, publishedRef, readManifest } from './manifest.ts';
import { createMasks } from './masks.ts';
import { linkedFor, type QueryResults, type ResultLink } from './query-results.ts';

export interface TableDataRequest {
  readonly scope: Scope;
  readonly dataset: DatasetId;
  readonly table: TableId;
  readonly format: ResultFormat;
  /** As HTTP names the format. */
  readonly contentType: string;
  readonly signal?: AbortSignal | undefined;
}

export interface TableDataDeps {
  readonly catalog: Pick<Catalog, 'getTable' | 'getSnapshot' | 'getDataset'>;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly results: Pick<QueryResults, 'link'>;
  readonly clock: Clock;
}

/** Throws NOT_FOUND for a table that is not published, and what a query for all of its rows throws. */
export type TableData = (request: TableDataRequest) => Promise<Omit<ResultLink, 'truncated' | 'elapsedMs'>>;

/** What stands in a header, and in every file system. */
const fileName = (table: string): string => table.replaceAll(/[^\w.-]/g, '_');

export const createTableData =
  ({ catalog, documents, objects, results, clock }: TableDataDeps): TableData =>
  async ({ table: id, ...request }) => {
    const table = await catalog.getTable(request.scope, request.dataset, id);
    if (!isPublished(table)) throw new Fault('NOT_FOUND', `There is no table ${id} in this dataset.`);
    const manifest = await readManifest({ catalog, objects }, publishedRef(table));
    const [masked = []] = await createMasks({ catalog, documents })(request, [{ id, manifest }]);
    if (request.format === 'parquet' && manifest.parts.length === 1 && masked.length === 0) {
      const { key, bytes } = must(manifest.parts[0], 'the part');
      const name = `${fileName(table.name)}.parquet`;
      return {
        url: await objects.presignGet(key, { expires: linkedFor, name, type: request.contentType }),
        expiresAt: later(clock.now(), linkedFor),
        bytes,
        columns: manifest.columns.map((column) => ({ name: column.name, type: column.type })),
        rowCount: manifest.rowCount,
      };
    }
    const sql = `SELECT * FROM "${table.name.replaceAll('"', '""')}"`;
    const { url, expiresAt, bytes, columns, rowCount } = await results.link({
      ...request,
      sql,
      name: fileName(table.name),
    });
    return { url, expiresAt, bytes, columns, rowCount };
  };
