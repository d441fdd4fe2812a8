// The workspace that the caller's key names: how it stands, its deletion, and its purge. These answer where it is deleted, and no others do.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { JobId, Scope } from '../../core/ids.ts';
import { toIso } from '../../core/time.ts';
import { deleteWorkspace, restoreWorkspace } from '../../ingest/deletion/workspace/delete.ts';
import type { Catalog } from '../../ingest/catalog.ts';
import { MEASURE_KIND, measureNow, PURGE_WORKSPACE_KIND, purgeNow } from '../../ingest/deletion/workspace/submits.ts';
import { isRestorable, type WorkspaceEnd } from '../../job/dead/workspaces.ts';
import { loadPayload } from '../../job/payload.ts';
import { type JobRow, refOf } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';
import { systemScope } from '../../job/system-scope.ts';
import type { HttpDeps } from '../deps.ts';
import { optionalDeletionFields } from '../deletion-view.ts';
import { jobSchema, wholeJobView } from '../job-view.ts';
import { type Call, defineRoute, type Reply } from '../route.ts';
import { idSchema, isoTime } from '../schemas.ts';
import { jobReply, preferHeader, submitAnswers } from '../submit.ts';

const scopeOf = ({ tenant, workspace }: Scope): Scope => ({ tenant, workspace });

const workspaceSchema = z.lazy(() =>
  z
    .strictObject({
      tenant: z.string(),
      workspace: z.string(),
      state: z.enum(['active', 'deleted', 'purging', 'purged']).meta({
        description: '`deleted` can be restored; from `purging` on there is no way back.',
      }),
      ...optionalDeletionFields,
      purgedAt: isoTime.optional().meta({ description: 'When nothing of it was left.' }),
      usage: z.string().meta({ description: 'Where the bytes that it stores are told.' }),
      purge: z.string().optional().meta({ description: 'The job that purges it.' }),
    })
    .meta({ id: 'Workspace' }),
);

const placeOf = (job: JobId): string => `/v1/workspace/purges/${job}`;

function stateOf(end: WorkspaceEnd | undefined): 'active' | 'deleted' | 'purging' | 'purged' {
  if (end === undefined) return 'active';
  if (end.purgedAt !== undefined) return 'purged';
  return isRestorable(end) ? 'deleted' : 'purging';
}

/** As its row stands now. */
async function workspaceReply(catalog: Catalog, caller: Scope): Promise<Reply> {
  const end = await catalog.workspaceEnd(scopeOf(caller));
  const body: z.input<typeof workspaceSchema> = {
    ...scopeOf(caller),
    state: stateOf(end),
    ...(end && { deletedAt: toIso(end.at), restorableUntil: toIso(end.until) }),
    ...(end?.purgedAt !== undefined && { purgedAt: toIso(end.purgedAt) }),
    usage: '/v1/usage',
    ...(end?.purgedBy !== undefined && { purge: placeOf(end.purgedBy) }),
  };
  return { status: 200, body };
}

const common = { path: '/v1/workspace', servedBy: 'api', whileDeleted: true } as const;
const answers = { 200: { description: 'The workspace.', schema: workspaceSchema } };

const getWorkspace = defineRoute({
  ...common,
  method: 'GET',
  operationId: 'getWorkspace',
  summary: 'The workspace of the key',
  access: 'any',
  request: {},
  answers,
  handle: ({ deps, caller }) => workspaceReply(deps.catalog, caller),
});

const removeWorkspace = defineRoute({
  ...common,
  method: 'DELETE',
  operationId: 'deleteWorkspace',
  summary: 'Delete the workspace with all that is in it',
  description:
    'From this answer on every other route says 410 for its keys (where a key was just seen by another instance, within 30 seconds), nothing is ' +
    'stored or published, no schedule runs, and its jobs are cancelled. It can be restored for 30 days, and is purged then.',
  access: 'workspace:delete',
  request: {},
  answers,
  problems: ['CONFLICT', 'GONE'],
  handle: async ({ deps, caller, ids }) => {
    await deleteWorkspace(deps, scopeOf(caller), ids);
    return workspaceReply(deps.catalog, caller);
  },
});

const restore = defineRoute({
  ...common,
  method: 'POST',
  path: '/v1/workspace/restore',
  operationId: 'restoreWorkspace',
  summary: 'Take the deletion of the workspace back',
  description:
    'Everything stored is as it was, and schedules run again within ten minutes. Jobs that were cancelled stay cancelled. 410 once a purge has begun.',
  access: 'workspace:delete',
  request: {},
  answers,
  problems: ['CONFLICT', 'GONE'],
  handle: async ({ deps, caller }) => {
    await restoreWorkspace(deps, scopeOf(caller));
    return workspaceReply(deps.catalog, caller);
  },
});

const purgeBody = z.lazy(() =>
  z.strictObject({
    confirm: z.string().optional().meta({ description: 'The name of the workspace; needed unless `dryRun` is true.' }),
    dryRun: z.boolean().optional(),
  }),
);
type PurgeCall = Pick<Call<unknown, unknown, z.output<typeof purgeBody>>, 'deps' | 'body' | 'ids'> & {
  readonly caller: Scope;
};

/** The job that purges, be it one that is at it already. */
async function purgeOf({ deps, caller, body, ids }: PurgeCall): Promise<JobRow> {
  const scope = scopeOf(caller);
  if (body.dryRun === true) return (await measureNow(deps, scope, ids.correlationId)).row;
  const end = await deps.catalog.workspaceEnd(scope);
  if (end === undefined) throw new Fault('CONFLICT', 'The workspace is not deleted: delete it first.');
  if (body.confirm !== String(scope.workspace))
    throw new Fault('VALIDATION_FAILED', 'The purge is not confirmed.', {
      errors: [{ pointer: '#/confirm', detail: 'Write the name of the workspace.' }],
    });
  const holder = end.purgedBy && (await deps.store.get({ ...systemScope, id: end.purgedBy }));
  if (holder !== undefined && !isTerminal(holder.status)) return holder;
  return (await purgeNow(deps, scope, end.at, ids.correlationId)).row;
}

const purge = defineRoute({
  ...common,
  method: 'POST',
  path: '/v1/workspace/purge',
  operationId: 'purgeWorkspace',
  summary: 'Remove the deleted workspace for good, now',
  description:
    'A job whose result counts what there was: datasets, tables, files, jobs, keys, objects and bytes. With `"dryRun": true` it counts and ' +
    'changes nothing, of a workspace that is not deleted too. The name cannot be used again.',
  access: 'workspace:delete',
  request: { headers: preferHeader, body: purgeBody },
  answers: submitAnswers,
  problems: ['CONFLICT'],
  handle: async (call) => {
    const row = await purgeOf(call);
    return jobReply(call, row, { location: placeOf(row.id) });
  },
});

async function isOf(deps: HttpDeps, scope: Scope, row: JobRow): Promise<boolean> {
  if (row.kind !== PURGE_WORKSPACE_KIND && row.kind !== MEASURE_KIND) return false;
  const { tenant, workspace } = (await loadPayload(deps, refOf(row), row.input)) as Scope;
  return tenant === scope.tenant && workspace === scope.workspace;
}

const getPurge = defineRoute({
  ...common,
  method: 'GET',
  path: '/v1/workspace/purges/{id}',
  operationId: 'getWorkspacePurge',
  summary: 'A purge of the workspace, or a count of what is in it',
  description: 'It is told for about eleven minutes after its end; then the keys of the workspace are removed too.',
  access: 'workspace:delete',
  request: { params: z.object({ id: idSchema<JobId>('job') }) },
  answers: { 200: { description: 'The job.', schema: jobSchema } },
  handle: async ({ deps, caller, params: { id } }) => {
    const row = await deps.store.get({ ...systemScope, id });
    if (row === undefined || !(await isOf(deps, caller, row)))
      throw new Fault('NOT_FOUND', `There is no purge ${id} of this workspace.`);
    return { status: 200, body: await wholeJobView(deps, row) };
  },
});

export const workspaceRoutes = [getWorkspace, removeWorkspace, restore, purge, getPurge];
