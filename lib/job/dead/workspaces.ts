// Workspaces that are deleted or gone: a row for each, under the tenant of the system, so that one read tells a whole sweep. While its row may
// be taken away again the workspace is deleted: its jobs are cancelled and its schedules rest. Once a purge holds it, it is gone for good.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import type { JobId, Scope } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { JobStore } from '../ports.ts';
import type { SideGroup, SideRef } from '../side/side.ts';
import { systemScope } from '../system-scope.ts';

const time = z.custom<EpochMs>((value) => typeof value === 'number');
const endSchema = z.lazy(() =>
  z.object({
    at: time,
    until: time,
    purgedBy: z.custom<JobId>((value) => typeof value === 'string').optional(),
    purgedAt: time.optional(),
  }),
);

/** How a workspace ends. */
export interface WorkspaceEnd {
  /** When it was deleted. */
  readonly at: EpochMs;
  /** Until when it can be restored: then it is purged. */
  readonly until: EpochMs;
  /** The job that has taken hold of it: there is no way back. */
  readonly purgedBy?: JobId | undefined;
  /** When nothing of it was left. */
  readonly purgedAt?: EpochMs | undefined;
}

const group: SideGroup = { ...systemScope, family: 'workspace', group: 'gone' };
const nameOf = ({ tenant, workspace }: Scope): string => JSON.stringify([tenant, workspace]);
const PAGE = 1000;

export const workspaceSide = (scope: Scope): SideRef => ({ ...group, name: nameOf(scope) });
export const workspaceEndIn = (row: Row): WorkspaceEnd => endSchema.parse(row);

/** Undefined for a workspace that nobody deleted. Throws StoreUnavailable. */
export async function readWorkspaceEnd(
  store: Pick<JobStore, 'getSide'>,
  scope: Scope,
): Promise<WorkspaceEnd | undefined> {
  const row = await store.getSide(workspaceSide(scope));
  return row && workspaceEndIn(row);
}

/** Whether it can be restored. */
export const isRestorable = ({ purgedBy }: WorkspaceEnd): boolean => purgedBy === undefined;

/** How each workspace ends, from one read of all that do. Throws StoreUnavailable. */
export async function endingWorkspaces(
  store: Pick<JobStore, 'listSides'>,
): Promise<(scope: Scope) => WorkspaceEnd | undefined> {
  const ends = new Map<string, WorkspaceEnd>();
  let cursor: string | undefined;
  do {
    const page = await store.listSides(group, { limit: PAGE, cursor });
    for (const { name, row } of page.items) ends.set(name, workspaceEndIn(row));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return (scope) => ends.get(nameOf(scope));
}

/** The fault of whatever is asked of a workspace that is deleted. */
export const workspaceDeleted = (): Fault =>
  new Fault('GONE', 'The workspace is deleted: nothing of it is shown, and nothing is done in it.');
