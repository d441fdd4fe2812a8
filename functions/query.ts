// SQL on published tables: the parts are kept on the local disk, and a process of its own answers each statement.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment, readEnvironment } from '../lib/config/environment.ts';
import { createQueryApp } from '../lib/http/query-app.ts';
import { httpLimits } from '../lib/http/limits.ts';
import { createDatasetQuery } from '../lib/ingest/dataset-query.ts';
import { createQueryResults } from '../lib/ingest/query-results.ts';
import { lazyFolder } from '../lib/pipeline/folder.ts';
import { createPartCache } from '../lib/query/parts.ts';
import { createQueryProcess } from '../lib/query/query-process.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { defineHttpHandler } from './support/http-handler.ts';
import { queryDisk, queryLimits } from './support/query-limits.ts';
import { basics, openObjects, openStore } from './support/world.ts';

const environment = readEnvironment('query');
const log = createLog('query');
const store = openStore(environment);
const objects = openObjects(environment);
const common = basics(log);
const folder = await lazyFolder().path();
const processes = createQueryProcess({
  entry: fileURLToPath(new URL('./query-worker.mjs', import.meta.url)),
  processes: 1,
  processMb: environment.DUCKDB_MEMORY_MB + 200,
  environment: childEnvironment(),
});
const limits = queryLimits(environment, folder);
const query = createDatasetQuery({
  ...common,
  catalog: store,
  objects,
  parts: createPartCache({ directory: join(folder, 'parts'), maxBytes: queryDisk.parts, objects }),
  limits,
  ask: processes.ask,
});
const results = createQueryResults({
  ask: query,
  directory: folder,
  inline: { rows: limits.rowCap, bytes: limits.resultBytes },
});
const app = createQueryApp({ ...common, catalog: store, keys: store, query, results, limits: httpLimits });

export const handler = defineHttpHandler(log, app);
