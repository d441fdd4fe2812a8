// The routes that the app loads with the first request for one of them (app.ts). None shares the first part of its path with a prompt one.
import type { Route } from './route.ts';
import { annotationRoutes } from './routes/annotations.ts';
import { bulkDeadRoutes } from './routes/bulk.ts';
import { changeRoutes } from './routes/changes.ts';
import { uploadFiles } from './routes/bulk-upload.ts';
import { costRoutes } from './routes/costs.ts';
import { datasetRoutes } from './routes/datasets.ts';
import { deadRoutes } from './routes/dead.ts';
import { derivedRoutes } from './routes/derived.ts';
import { describeRoutes } from './routes/describe.ts';
import { detectorRoutes } from './routes/detectors.ts';
import { deletionRoutes } from './routes/deletion.ts';
import { fileRoutes } from './routes/files.ts';
import { ingestAsOneTable } from './routes/one-table.ts';
import { flowRoutes } from './routes/flows.ts';
import { guardRoutes } from './routes/guards.ts';
import { previewRoutes } from './routes/preview.ts';
import { getLineage } from './routes/lineage.ts';
import { queryJobRoutes } from './routes/queries.ts';
import { queryRoutes } from './routes/query.ts';
import { orphanRoutes } from './routes/repair.ts';
import { getRejects } from './routes/rejects.ts';
import { relationRoutes } from './routes/relations.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { refreshSamples } from './routes/samples.ts';
import { savedQueryRoutes } from './routes/saved-queries.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { searchRoute } from './routes/search.ts';
import { getStats } from './routes/stats.ts';
import { getTableData } from './routes/table-data.ts';
import { snapshotRoutes } from './routes/snapshots.ts';
import { tableRoutes } from './routes/tables.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { getUsage } from './routes/usage.ts';
import { workspaceRoutes } from './routes/workspace.ts';

export const lateRoutes: readonly Route[] = [
  ...datasetRoutes,
  ...fileRoutes,
  ...deletionRoutes,
  uploadFiles,
  ingestAsOneTable,
  ...previewRoutes,
  ...uploadRoutes,
  ...tableRoutes,
  ...derivedRoutes,
  getLineage,
  ...annotationRoutes,
  ...detectorRoutes,
  refreshSamples,
  ...snapshotRoutes,
  ...reviewRoutes,
  ...changeRoutes,
  ...queryRoutes,
  ...queryJobRoutes,
  ...savedQueryRoutes,
  getTableData,
  getUsage,
  ...workspaceRoutes,
  getRejects,
  ...relationRoutes,
  searchRoute,
  ...describeRoutes,
  ...costRoutes,
  ...scheduleRoutes,
  ...bulkDeadRoutes,
  ...deadRoutes,
  ...orphanRoutes,
  ...flowRoutes,
  ...guardRoutes,
  getStats,
];
