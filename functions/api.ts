// The HTTP API, but for SQL.
import { kinds as own } from '#own-kinds';
import { readEnvironment } from '../lib/config/environment.ts';
import { createApp } from '../lib/http/app.ts';
import { httpLimits } from '../lib/http/limits.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { lazySecret } from './support/cursor-secret.ts';
import { defineHttpHandler } from './support/http-handler.ts';
import { createKinds } from './support/kinds.ts';
import { basics, openObjects, openRinger, openStore } from './support/world.ts';

const environment = readEnvironment('api');
const log = createLog('api');
const store = openStore(environment);
const objects = openObjects(environment);
const app = createApp({
  ...basics(log, environment),
  ...createKinds({ catalog: store, documents: store, jobs: store, objects }, own),
  store,
  catalog: store,
  documents: store,
  keys: store,
  objects,
  ringer: openRinger(environment),
  cursorSecret: lazySecret(objects),
  limits: { ...httpLimits, workspaceBytes: environment.WORKSPACE_BYTES || undefined },
  openApiDocument: async () =>
    JSON.stringify((await import('../docs/openapi.json', { with: { type: 'json' } })).default),
});

export const handler = defineHttpHandler(log, app);
