// Deleting a workspace, and taking that back: one conditional write each. The purge that is to come, and a late look at its jobs, are submitted
// before, so that neither is forgotten; both leave alone what is not deleted as they say.
import { Fault } from '../../../core/fault.ts';
import type { Scope } from '../../../core/ids.ts';
import { days, later, minutes } from '../../../core/time.ts';
import { isRestorable } from '../../../job/dead/workspaces.ts';
import type { SubmitEngine } from '../../../job/submit/submit.ts';
import type { Deletion } from '../ports.ts';
import type { Workspaces } from './ports.ts';
import { purgeAfter, stopJobsAt } from './submits.ts';

type Deps = SubmitEngine & { readonly catalog: Workspaces };
interface Ids {
  readonly correlationId: string;
}

/** How long a workspace can be restored. */
const RESTORABLE = days(30);
/** Keys are remembered for half a minute, and what was begun with one goes on a little. */
const LATE = minutes(2);

/** Asked for again it answers the deletion that stands. Throws the Faults GONE once a purge has begun, and CONFLICT. */
export async function deleteWorkspace(deps: Deps, scope: Scope, { correlationId }: Ids): Promise<Deletion> {
  const at = deps.clock.now();
  const standing = await deps.catalog.workspaceEnd(scope);
  if (standing === undefined) {
    await purgeAfter(deps, scope, { at, until: later(at, RESTORABLE) }, correlationId);
    await stopJobsAt(deps, scope, at, { correlationId, delay: LATE });
    await deps.catalog.deleteWorkspace(scope, { at, until: later(at, RESTORABLE) });
  }
  const end = await deps.catalog.workspaceEnd(scope);
  if (end === undefined) throw moved();
  if (!isRestorable(end)) throw begun();
  await stopJobsAt(deps, scope, end.at, { correlationId });
  return { at: end.at, until: end.until };
}

/** Throws the Faults CONFLICT where it is not deleted, and GONE once its purge has begun. */
export async function restoreWorkspace({ catalog }: Pick<Deps, 'catalog'>, scope: Scope): Promise<void> {
  const end = await catalog.workspaceEnd(scope);
  if (end === undefined) throw new Fault('CONFLICT', 'The workspace is not deleted.');
  if (!isRestorable(end)) throw begun();
  if ((await catalog.restoreWorkspace(scope, end)) === 'moved') throw moved();
}

const moved = (): Fault => new Fault('CONFLICT', 'It was deleted, restored or purged at the same time.');
const begun = (): Fault => new Fault('GONE', 'The purge of the workspace has begun.');
