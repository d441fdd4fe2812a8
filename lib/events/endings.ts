// What is announced of jobs: that one has ended, and how. Not of the engine's own kinds, whose endings are nobody's news.
import type { EpochMs } from '../core/time.ts';
import type { Announcement } from '../job/announcer.ts';
import { isTerminal } from '../job/status.ts';
import type { JobChange } from './effect.ts';

/** The announcement of a job's end; undefined for any other change. Its id names the job and the version. */
export function endingOf({ before, after }: JobChange, now: EpochMs): Announcement | undefined {
  if (after === undefined || !isTerminal(after.status) || after.internal === true) return undefined;
  if (before !== undefined && isTerminal(before.status) && before.createdAt === after.createdAt) return undefined;
  const { tenant, workspace, id, kind, flow, status, attempts, crashes, version, correlationId, error } = after;
  return {
    type: `job.${status}`,
    at: after.finishedAt ?? now,
    detail: {
      id: `${id}#${version}`,
      ...{ tenant, workspace, jobId: id, kind, status, attempts, crashes, version, correlationId },
      ...(flow !== undefined && { flow }),
      ...(error && {
        error: { code: error.code, retriable: error.retriable, stage: error.stage, fingerprint: error.fingerprint },
      }),
    },
  };
}
