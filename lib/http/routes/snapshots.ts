import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { JobId, SnapshotId } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import type { SnapshotRecord } from '../../ingest/catalog.ts';
import { snapshotRef } from '../../ingest/manifest.ts';
import { restorable, type RollbackInput } from '../../ingest/rollback.ts';
import { readShown } from '../../ingest/shown.ts';
import { keyHeader, keyOf, namedBy } from '../idempotency.ts';
import { listReply } from '../list.ts';
import { columnQuery, detailOf, manifestFields } from '../manifest-view.ts';
import { defineRoute } from '../route.ts';
import { idSchema, isoTime, listOf, pageQuery } from '../schemas.ts';
import { preferHeader, submitAnswers, submitReply } from '../submit.ts';
import { jobNamed } from '../submit-asked.ts';
import { publishedTable, tableParams } from './tables.ts';

const snapshotFields = {
  id: idSchema<SnapshotId>('snap'),
  sequence: z.int().meta({ description: 'Counts the snapshots of a table, by when their file was received.' }),
  status: z.enum(['READY', 'SUPERSEDED']).meta({
    description: '`SUPERSEDED`: a newer one was published before it, so it never became visible.',
  }),
  jobId: idSchema<JobId>('job'),
  hash: z
    .string()
    .optional()
    .meta({ description: 'SHA-256 of the columns’ names and types: equal for equal schemas.' }),
  createdAt: isoTime,
  publishedAt: isoTime.optional(),
};
const counts = { rowCount: z.int(), columnCount: z.int() };
const snapshotSchema = z.strictObject({ ...snapshotFields, ...counts }).meta({ id: 'Snapshot' });
const snapshotDetailSchema = z.strictObject({ ...snapshotFields, ...manifestFields }).meta({ id: 'SnapshotDetail' });

/** Without its counts. */
function viewOf({ id, sequence, status, job, hash, createdAt, publishedAt, expiredAt }: SnapshotRecord) {
  // A snapshot under way, or left behind by a job that failed, is nobody's business.
  if (status === 'PARTIAL' || expiredAt !== undefined) return undefined;
  return {
    ...{ id, sequence, status, jobId: job, createdAt: toIso(createdAt) },
    ...(hash !== undefined && { hash }),
    ...(publishedAt !== undefined && { publishedAt: toIso(publishedAt) }),
  };
}

function snapshotView(snapshot: SnapshotRecord): z.input<typeof snapshotSchema> | undefined {
  const { rowCount, columnCount } = snapshot;
  const view = viewOf(snapshot);
  return view && { ...view, rowCount, columnCount };
}

const listSnapshots = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}/snapshots',
  operationId: 'listSnapshots',
  summary: 'List the snapshots of a table, newest first',
  access: 'datasets:read',
  servedBy: 'api',
  request: { params: tableParams, query: z.strictObject(pageQuery) },
  answers: { 200: { description: 'A page of snapshots.', schema: listOf(snapshotSchema) } },
  handle: async (call) => {
    const { deps, caller, params } = call;
    await publishedTable(deps, caller, params);
    const { tenant, workspace } = caller;
    return listReply(call, {
      name: 'snapshots',
      read: (page) => deps.catalog.listSnapshots({ tenant, workspace }, params.id, params.tableId, page),
      view: snapshotView,
    });
  },
});

const getSnapshot = defineRoute({
  method: 'GET',
  path: '/v1/datasets/{id}/tables/{tableId}/snapshots/{snapshotId}',
  operationId: 'getSnapshot',
  summary: 'Get a snapshot with its columns and their profile',
  access: 'datasets:read',
  servedBy: 'api',
  request: {
    params: tableParams.extend({ snapshotId: idSchema<SnapshotId>('snap') }),
    query: z.strictObject(columnQuery),
  },
  answers: {
    200: { description: 'The snapshot, whether or not it is the published one.', schema: snapshotDetailSchema },
  },
  handle: async ({ deps, caller, params, query }) => {
    await publishedTable(deps, caller, params);
    const { tenant, workspace } = caller;
    const { id, tableId, snapshotId } = params;
    const snapshot = await deps.catalog.getSnapshot({ tenant, workspace }, id, tableId, snapshotId);
    const view = snapshot && viewOf(snapshot);
    if (!view || !snapshot.manifest) throw new Fault('NOT_FOUND', `There is no snapshot ${snapshotId} of this table.`);
    const shown = await readShown(deps, snapshotRef(snapshot, snapshot.manifest));
    return { status: 200, body: { ...view, ...detailOf(shown, query) } };
  },
});

const rollbackTable = defineRoute({
  method: 'POST',
  path: '/v1/datasets/{id}/tables/{tableId}/rollback',
  operationId: 'rollbackTable',
  summary: 'Publish the rows of an older snapshot again',
  description:
    'A job of the kind `rollback`. The rows get a snapshot of their own, with the next sequence: an ingest whose file is received later comes after it, and one under way that was received before is superseded.',
  access: 'datasets:write',
  servedBy: 'api',
  request: {
    params: tableParams,
    headers: { ...keyHeader, ...preferHeader },
    body: z.strictObject({ snapshot: idSchema<SnapshotId>('snap') }),
  },
  answers: submitAnswers,
  problems: ['CONFLICT', 'IDEMPOTENCY_KEY_REUSED', 'FLOW_DISABLED'],
  handle: async (call) => {
    const { deps, caller, params, body, request } = call;
    const { current } = await publishedTable(deps, caller, params);
    const input: RollbackInput = { dataset: params.id, table: params.tableId, snapshot: body.snapshot };
    const key = keyOf(request);
    const named = key === undefined ? undefined : namedBy(caller, { rollback: input }, key);
    const repeated = named && (await jobNamed(deps, caller, named));
    if (!repeated && current.snapshot === body.snapshot)
      throw new Fault('CONFLICT', `The snapshot ${body.snapshot} is the published one.`);
    const { tenant, workspace } = caller;
    if (!repeated) await restorable(deps.catalog, { tenant, workspace }, input);
    return submitReply(call, { kind: 'rollback', input, flow: params.id, ...named });
  },
});

export const snapshotRoutes = [listSnapshots, getSnapshot, rollbackTable];
