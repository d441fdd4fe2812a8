import { buildApp } from './build-app.ts';
import type { QueryDeps } from './deps.ts';
import { deriveTable } from './routes/derived.ts';
import { previewRoutes } from './routes/preview.ts';
import { queryRoutes } from './routes/query.ts';
import { savedQuerySqlRoutes } from './routes/saved-queries.ts';
import { searchRoute } from './routes/search.ts';
import { getTableData } from './routes/table-data.ts';

/** The query routes alone, for the function that holds DuckDB. */
export const createQueryApp = (deps: QueryDeps) =>
  buildApp(deps, [...queryRoutes, deriveTable, ...savedQuerySqlRoutes, getTableData, ...previewRoutes, searchRoute]);
