// The routes of jobs, and what anybody may ask: they are there as soon as the app is.
import type { Route } from './route.ts';
import { bulkJobRoutes } from './routes/bulk.ts';
import { listEvents } from './routes/events.ts';
import { backlogHealth } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { repairRoutes } from './routes/repair.ts';
import { submitRoutes } from './routes/submit.ts';
import { systemRoutes } from './routes/system.ts';
import { waitRoutes } from './routes/waits.ts';
import { watchJob } from './routes/watch.ts';

export const promptRoutes: readonly Route[] = [
  ...submitRoutes,
  ...jobRoutes,
  ...bulkJobRoutes,
  ...repairRoutes,
  ...waitRoutes,
  watchJob,
  listEvents,
  backlogHealth,
  ...systemRoutes,
];
