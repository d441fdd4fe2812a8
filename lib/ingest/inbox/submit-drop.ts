// An object that was put into the inbox, as whoever sees it submits its job.
import { readWorkspaceEnd } from '../../job/dead/workspaces.ts';
import { type SubmitEngine, submitJob, type Submitted } from '../../job/submit/submit.ts';
import { dropJobId, INBOX_KIND } from './drop-job.ts';
import type { Drop } from './place.ts';
import type { Version } from './take.ts';

/** Once a version, however often it is seen; undefined, and no job, where the workspace is deleted. Throws what `submitJob` throws. */
export async function submitDrop(
  engine: SubmitEngine,
  drop: Drop,
  version: Omit<Version, 'path'>,
): Promise<Submitted | undefined> {
  if ((await readWorkspaceEnd(engine.store, drop.scope)) !== undefined) return undefined;
  const id = dropJobId(drop, version);
  const input = { path: drop.path, ...version };
  return submitJob(engine, { scope: drop.scope, kind: INBOX_KIND, id, input, correlationId: id });
}
