import { buildApp } from './build-app.ts';
import type { QueryDeps } from './deps.ts';
import { queryDataset } from './routes/query.ts';

/** The query route alone, for the function that holds DuckDB. */
export const createQueryApp = (deps: QueryDeps) => buildApp(deps, [queryDataset]);
