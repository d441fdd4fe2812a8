// What answers SQL: over the catalogue, with parts and results on local disk, and whoever asks a statement.
import { join } from 'node:path';
import { createDatasetQuery, type DatasetQueryDeps } from '../../lib/ingest/dataset-query.ts';
import { createQueryPages } from '../../lib/ingest/query-pages.ts';
import { createQueryResults, type QueryResultsDeps } from '../../lib/ingest/query-results.ts';
import { createSearch, type SearchDeps } from '../../lib/ingest/search/search.ts';
import { createPreview } from '../../lib/ingest/preview.ts';
import { createTableData } from '../../lib/ingest/table-data.ts';
import { createPartCache } from '../../lib/query/parts.ts';

/** Of the objects of search indexes that stay in memory, with up to three times as much beside them; and of vectors, which take as much. */
const INDEX_BYTES = 24 * 2 ** 20;
const VECTOR_BYTES = 48 * 2 ** 20;

interface Needs
  extends Omit<DatasetQueryDeps, 'parts'>,
    Pick<SearchDeps, 'documents' | 'embedder' | 'log'>,
    Pick<QueryResultsDeps, 'objects' | 'chance'> {
  readonly objects: DatasetQueryDeps['objects'];
  /** It and what queries spill to lie on one disk. */
  readonly directory: string;
  /** Bytes of the copies of parts, and of one result behind a URL. */
  readonly disk: { readonly parts: number; readonly result: number };
}

/** The ports that the routes of queries need. */
export function openQueries({ directory, disk, chance, ...deps }: Needs) {
  const { objects, clock, limits } = deps;
  const parts = createPartCache({ directory: join(directory, 'parts'), maxBytes: disk.parts, objects });
  const query = createDatasetQuery({ ...deps, parts });
  const inline = { rows: limits.rowCap, bytes: limits.resultBytes };
  const common = { ask: query, objects, clock, chance, directory: limits.tempDirectory };
  const results = createQueryResults({ ...common, inline, linkedBytes: disk.result });
  return {
    query,
    results,
    pages: createQueryPages({ ...common, pageBytes: limits.resultBytes, resultBytes: disk.result }),
    preview: createPreview({ objects, directory: limits.tempDirectory }),
    tableData: createTableData({ catalog: deps.catalog, documents: deps.documents, objects, results, clock }),
    search: createSearch({ ...deps, cacheBytes: INDEX_BYTES, vectorBytes: VECTOR_BYTES }),
  };
}
