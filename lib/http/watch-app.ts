import { buildApp } from './build-app.ts';
import type { WatchDeps } from './deps.ts';
import { listEvents } from './routes/events.ts';
import { watchJob } from './routes/watch.ts';

/** The routes whose callers wait, for the function that they do not keep from anything else. */
export const createWatchApp = (deps: WatchDeps) => buildApp(deps, [watchJob, listEvents]);
