// The routes whose callers wait: a long poll for a job, and its events. How many may wait at once is counted in the table.
import { readEnvironment } from '../lib/config/environment.ts';
import { seconds } from '../lib/core/time.ts';
import { createWatchApp } from '../lib/http/watch-app.ts';
import { httpLimits, WAIT_SECONDS } from '../lib/http/limits.ts';
import { createSharedPlaces } from '../lib/http/places.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { lazySecret } from './support/cursor-secret.ts';
import { defineHttpHandler } from './support/http-handler.ts';
import { basics, openObjects, openStore } from './support/world.ts';

const environment = readEnvironment('watch');
const log = createLog('watch');
const store = openStore(environment);
const objects = openObjects(environment);
const common = basics(log);
const places = { count: environment.WATCHERS, hold: seconds(WAIT_SECONDS + 5) };
const app = createWatchApp({
  ...common,
  store,
  keys: store,
  objects,
  watch: { places: createSharedPlaces({ ...common, store }, places) },
  cursorSecret: lazySecret(objects),
  limits: httpLimits,
});

export const handler = defineHttpHandler(log, app);
