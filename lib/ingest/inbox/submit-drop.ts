// An object that was put into the inbox, as whoever sees it submits its job.
import { type SubmitEngine, submitJob, type Submitted } from '../../job/submit/submit.ts';
import { dropJobId, INBOX_KIND } from './drop-job.ts';
import type { Drop } from './place.ts';
import type { Version } from './take.ts';

/** Once a version, however often it is seen. Throws what `submitJob` throws. */
export function submitDrop(engine: SubmitEngine, drop: Drop, version: Omit<Version, 'path'>): Promise<Submitted> {
  const id = dropJobId(drop, version);
  const input = { path: drop.path, ...version };
  return submitJob(engine, { scope: drop.scope, kind: INBOX_KIND, id, input, correlationId: id });
}
