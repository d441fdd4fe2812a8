// What an operator does to one job that failed or hangs, and where everything stands that somebody should have looked at.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { toIso } from '../../core/time.ts';
import { findOrphans, type OrphanClass, orphanClasses } from '../../job/dead/orphans.ts';
import { reclaimJob } from '../../job/dead/reclaim.ts';
import { redriveJob } from '../../job/dead/redrive.ts';
import { refOf } from '../../job/row.ts';
import { jobStatuses } from '../../job/status.ts';
import { readWorkspaceEnd } from '../../job/dead/workspaces.ts';
import { definitionOf, restartPlace } from '../../pipeline/restart.ts';
import type { JobParts } from '../deps.ts';
import { jobSchema, wholeJobView } from '../job-view.ts';
import { unreadableView } from '../list.ts';
import { defineRoute } from '../route.ts';
import { isoTime, unreadableRows } from '../schemas.ts';
import { jobParams, rowOf } from './jobs.ts';

const reason = z.string().trim().min(1).max(500).optional().meta({ description: 'For the log.' });

/** Where a run begins anew; undefined where nobody says. */
function placeOf({ registry, ...stores }: JobParts, kind: string, fromStage: string | undefined) {
  if (fromStage === undefined) return undefined;
  const definition = definitionOf(registry.find(kind));
  if (definition !== undefined)
    return (row: Parameters<typeof restartPlace>[2]) => restartPlace(stores, definition, row, fromStage);
  const errors = [{ pointer: '#/fromStage', detail: `${kind} is no pipeline that is deployed.` }];
  throw new Fault('VALIDATION_FAILED', 'The job has no stages.', { errors });
}

const redriveRoute = defineRoute({
  method: 'POST',
  path: '/v1/jobs/{id}/redrive',
  operationId: 'redriveJob',
  summary: 'Give a job that failed, is dead or was cancelled another life',
  description:
    'With fresh budgets and a fresh deadline. A pipeline goes on after its last committed stage, or begins anew where there is a new input.',
  access: 'jobs:write',
  servedBy: 'api',
  request: {
    params: jobParams,
    body: z.lazy(() =>
      z.strictObject({
        input: z
          .unknown()
          .optional()
          .meta({ description: 'Takes the place of the input; checked by the schema of the kind.' }),
        fromStage: z.string().min(1).max(100).optional().meta({ description: 'The stage of a pipeline to begin at.' }),
        reason,
      }),
    ),
    bodyOptional: true,
  },
  answers: { 202: { description: 'The job, queued again.', schema: jobSchema, headers: { Location: 'The job.' } } },
  problems: ['CONFLICT', 'DEDUP_KEY_HELD', 'UNKNOWN_KIND', 'LIMIT_EXCEEDED', 'INPUT_UNREADABLE'],
  handle: async ({ deps, caller, params, body }) => {
    const row = await rowOf(deps, caller, params.id);
    const place = placeOf(deps, row.kind, body.fromStage);
    const redriven = await redriveJob(deps, refOf(row), { input: body.input, place, reason: body.reason });
    return { status: 202, body: await wholeJobView(deps, redriven), headers: { location: `/v1/jobs/${row.id}` } };
  },
});

const reclaimRoute = defineRoute({
  method: 'POST',
  path: '/v1/jobs/{id}/reclaim',
  operationId: 'reclaimJob',
  summary: 'Take a running job from whoever holds it, and queue it at once',
  description: 'It costs a crash, as a lost lease does. Whatever its worker still writes does not count.',
  access: 'jobs:write',
  servedBy: 'api',
  request: { params: jobParams },
  answers: { 200: { description: 'The job, as the reclaim left it.', schema: jobSchema } },
  problems: ['CONFLICT'],
  handle: async ({ deps, caller, params }) => {
    const row = await rowOf(deps, caller, params.id);
    return { status: 200, body: await wholeJobView(deps, await reclaimJob(deps, refOf(row))) };
  },
});

const names = Object.keys(orphanClasses) as [OrphanClass, ...OrphanClass[]];

const orphansSchema = z.lazy(() =>
  z
    .strictObject({
      complete: z.boolean().meta({ description: 'False where more is past due than one look reads.' }),
      classes: z
        .array(
          z.strictObject({
            class: z.enum(names),
            repair: z.string().meta({ description: 'Who repairs it, and how.' }),
            jobs: z.array(
              z.strictObject({
                ...{ id: z.string(), kind: z.string(), status: z.enum(jobStatuses) },
                since: isoTime.meta({ description: 'When somebody should have looked.' }),
                next: isoTime.meta({ description: 'When the next sweep looks, unless sweeps do not run.' }),
              }),
            ),
          }),
        )
        .meta({ description: 'Every class, those without a job too.' }),
      unreadable: unreadableRows,
    })
    .meta({ id: 'Orphans' }),
);

const listOrphans = defineRoute({
  method: 'GET',
  path: '/v1/orphans',
  operationId: 'listOrphans',
  summary: 'What is past due by more than a sweep, by what was lost',
  description:
    'Every list is empty where all is well. A job stands here from 60 s after its time until a sweep has repaired it.',
  access: 'jobs:read',
  servedBy: 'api',
  request: {},
  answers: { 200: { description: 'The orphans of the workspace.', schema: orphansSchema } },
  handle: async ({ deps, caller: { tenant, workspace } }) => {
    const scope = { tenant, workspace };
    const isGone = (await readWorkspaceEnd(deps.store, scope)) !== undefined;
    const { orphans, unreadable, complete } = await findOrphans(deps.store, scope, deps.clock.now(), isGone);
    const classes = names.map((name) => ({
      class: name,
      repair: orphanClasses[name],
      jobs: orphans
        .filter((orphan) => orphan.class === name)
        .map(({ row, since, next }) => ({
          ...{ id: row.id, kind: row.kind, status: row.status, since: toIso(since), next: toIso(next) },
        })),
    }));
    return { status: 200, body: { complete, classes, ...unreadableView(unreadable) } };
  },
});

export const repairRoutes = [redriveRoute, reclaimRoute];
export const orphanRoutes = [listOrphans];
