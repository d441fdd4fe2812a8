// Every route. Infra reads methods, paths and functions from here, OpenAPI the rest.
import type { QueryDeps, WatchDeps } from './deps.ts';
import type { Route } from './route.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { datasetRoutes } from './routes/datasets.ts';
import { deadRoutes } from './routes/dead.ts';
import { listEvents } from './routes/events.ts';
import { fileRoutes } from './routes/files.ts';
import { flowRoutes } from './routes/flows.ts';
import { guardRoutes } from './routes/guards.ts';
import { backlogHealth } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { queryDataset } from './routes/query.ts';
import { repairRoutes } from './routes/repair.ts';
import { getStats } from './routes/stats.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { submitRoutes } from './routes/submit.ts';
import { systemRoutes } from './routes/system.ts';
import { tableRoutes } from './routes/tables.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { waitRoutes } from './routes/waits.ts';
import { watchJob } from './routes/watch.ts';

/** What the query function serves. */
export const queryRoutes: readonly Route<QueryDeps>[] = [queryDataset];

/** What the watch function serves. */
export const watchRoutes: readonly Route<WatchDeps>[] = [watchJob, listEvents];

export const routes: readonly Route[] = [
  ...datasetRoutes,
  ...fileRoutes,
  ...uploadRoutes,
  ...tableRoutes,
  ...queryRoutes,
  ...submitRoutes,
  ...scheduleRoutes,
  ...jobRoutes,
  ...bulkRoutes,
  ...deadRoutes,
  ...repairRoutes,
  ...waitRoutes,
  ...flowRoutes,
  ...guardRoutes,
  ...watchRoutes,
  getStats,
  backlogHealth,
  ...systemRoutes,
];
