// SQL on published tables: the parts are kept on the local disk, and a process of its own answers each statement.
import { fileURLToPath } from 'node:url';
import { childEnvironment, readEnvironment } from '../lib/config/environment.ts';
import { createQueryApp } from '../lib/http/query-app.ts';
import { httpLimits } from '../lib/http/limits.ts';
import { createDeletionJobs } from '../lib/ingest/deletion/kinds.ts';
import { createDerive } from '../lib/ingest/derive/derive-pipeline.ts';
import { createAfterIngest } from '../lib/ingest/search/after-ingest.ts';
import { createRegistry } from '../lib/job/registry.ts';
import { lazyFolder } from '../lib/pipeline/folder.ts';
import { createQueryProcess } from '../lib/query/query-process.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { defineHttpHandler } from './support/http-handler.ts';
import { openEmbedder } from './support/embedder.ts';
import { openQueries } from './support/queries.ts';
import { queryDisk, queryLimits } from './support/query-limits.ts';
import { basics, openObjects, openRinger, openStore } from './support/world.ts';

const environment = readEnvironment('query');
const log = createLog('query');
const store = openStore(environment);
const common = basics(log, environment);
const directory = await lazyFolder().path();
const processes = createQueryProcess({
  entry: fileURLToPath(new URL('./query-worker.mjs', import.meta.url)),
  processes: 1,
  processMb: environment.DUCKDB_MEMORY_MB + 200,
  environment: childEnvironment(),
});
const deps = { ...common, store, catalog: store, documents: store, objects: openObjects(environment) };
const queries = openQueries({
  ...deps,
  directory,
  disk: queryDisk,
  limits: queryLimits(environment, directory),
  ask: processes.ask,
  embedder: openEmbedder(environment.EMBEDDER),
});
const app = createQueryApp({
  ...deps,
  keys: store,
  ...queries,
  // What it has checked it submits: the definitions of tables, and the look for what they leave; and that an index is made anew.
  registry: createRegistry([createDerive(deps), createAfterIngest(deps), ...createDeletionJobs(deps)]),
  ringer: openRinger(environment),
  limits: httpLimits,
});

export const handler = defineHttpHandler(log, app);
