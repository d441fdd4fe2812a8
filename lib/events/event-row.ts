// A job's row as an event of its timeline.
import { timeOfId } from '../core/ids.ts';
import { type EpochMs, later, toEpochSeconds } from '../core/time.ts';
import type { JobEvent } from '../job/ports.ts';
import type { JobRow } from '../job/row.ts';
import type { EngineSettings } from '../job/settings.ts';

/** What an event takes from a row. */
export type Eventful = Pick<
  JobRow,
  'tenant' | 'workspace' | 'id' | 'createdAt' | 'version' | 'rule' | 'status' | 'epoch'
> &
  Partial<Pick<JobRow, 'writeId' | 'stage' | 'progress' | 'error' | 'parked' | 'cancelRequested' | 'notBefore'>>;

/** The event at the row's version. `at`: when it is told; `lapsedAt`: when the lease had ended that the change took away. */
export function eventOf(
  { keepEvents }: Pick<EngineSettings, 'keepEvents'>,
  row: Eventful,
  at: EpochMs,
  lapsedAt?: EpochMs,
): JobEvent {
  const appliedAt = row.writeId && timeOfId(row.writeId);
  const reason = row.parked ?? row.cancelRequested;
  return {
    tenant: row.tenant,
    workspace: row.workspace,
    jobId: row.id,
    createdAt: row.createdAt,
    version: row.version,
    rule: row.rule,
    status: row.status,
    epoch: row.epoch,
    at,
    ...(appliedAt === undefined ? {} : { appliedAt }),
    ...(reason === undefined ? {} : { reason }),
    ...(row.notBefore === undefined ? {} : { notBefore: row.notBefore }),
    ...(lapsedAt === undefined ? {} : { lapsedAt }),
    ...(row.stage === undefined ? {} : { stage: row.stage }),
    ...(row.progress === undefined ? {} : { progress: row.progress }),
    ...(row.error === undefined ? {} : { error: row.error }),
    ...(keepEvents === 0 ? {} : { expiresAt: toEpochSeconds(later(at, keepEvents)) }),
  };
}
