// Who met an index that cannot be read has it made anew, by the job that follows a publish.
import { derivedId, type Scope } from '../../core/ids.ts';
import { minutes } from '../../core/time.ts';
import { submitJob, type SubmitEngine } from '../../job/submit/submit.ts';
import type { FollowUp } from '../../job/waits/owed.ts';

export const AFTER_INGEST_KIND = 'system.after-ingest';

/** Has the index at the key made anew, unless that is not the one of the workspace any more. */
export const mendIndex = (damaged: string): FollowUp => ({ kind: AFTER_INGEST_KIND, input: { damaged } });

/** Often enough where a job has died, and one job whoever asks meanwhile. */
const EVERY = minutes(5);

/** Submits that, unless somebody has a moment ago. */
export async function mendIndexSoon(engine: SubmitEngine, scope: Scope, damaged: string, correlationId: string) {
  const { tenant, workspace } = scope;
  const time = String(Math.floor(engine.clock.now() / EVERY));
  const id = derivedId('job', 'mend-index', tenant, workspace, damaged, time);
  await submitJob(engine, { scope, id, ...mendIndex(damaged), correlationId });
}
