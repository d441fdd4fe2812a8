// Rows that fit their status, for tests: a test names what it is about, and the rest is consistent.
import type { Epoch, JobId, OwnerToken, TenantId, WorkspaceId, WriteId } from '../core/ids.ts';
import { epochMs, later, minutes, seconds } from '../core/time.ts';
import { type JobRow, refOf } from '../job/row.ts';
import type { Claim } from '../job/claim.ts';
import type { JobStatus } from '../job/status.ts';

/** When the builders' jobs were created. */
export const builtAt = epochMs(1_700_000_000_000);

const statusFields: Record<JobStatus, Partial<JobRow>> = {
  queued: { rule: 'submit', dueAt: later(builtAt, seconds(45)) },
  parked: { rule: 'park', parked: 'signal:go', dueAt: later(builtAt, minutes(1)) },
  running: {
    rule: 'claim',
    version: builtAt + 2,
    epoch: (builtAt + 1) as Epoch,
    heldBy: 'worker',
    leaseOwner: 'own_a' as unknown as OwnerToken,
    leaseUntil: later(builtAt, seconds(45)),
    dueAt: later(builtAt, seconds(45)),
    startedAt: builtAt,
  },
  succeeded: { rule: 'succeed', finishedAt: builtAt, result: { inline: '1' } },
  failed: { rule: 'fail', finishedAt: builtAt, error: { code: 'HANDLER_TERMINAL', detail: 'no', retriable: false } },
  cancelled: { rule: 'cancel', finishedAt: builtAt, error: { code: 'CANCELLED', detail: 'no', retriable: false } },
  dead: { rule: 'exhaust', finishedAt: builtAt, error: { code: 'HANDLER_FAILED', detail: 'no', retriable: true } },
};

/** A stored row of the given status; every field may be given, and undefined takes one away. */
export function aJobRow(given: { readonly [Key in keyof JobRow]?: JobRow[Key] | undefined } = {}): JobRow {
  const row = {
    id: 'job_01HF7YAT00AAAAAAAAAAAAAAAA' as unknown as JobId,
    tenant: 'acme' as unknown as TenantId,
    workspace: 'main' as unknown as WorkspaceId,
    kind: 'echo',
    lane: 'default',
    status: 'queued',
    version: builtAt + 1,
    writeId: 'w_first' as unknown as WriteId,
    submitId: 'w_submit' as unknown as WriteId,
    epoch: builtAt as number as Epoch,
    attempts: 0,
    crashes: 0,
    maxRetries: 2,
    maxRevivals: 2,
    cursorNo: 0,
    input: { inline: '{}' },
    correlationId: 'cor_1',
    createdAt: builtAt,
    v: 1,
    ...statusFields[given.status ?? 'queued'],
    ...given,
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as JobRow;
}

/** The claim of whoever holds a running row. */
export const aClaim = (row: JobRow = aJobRow({ status: 'running' })): Claim => ({
  ref: refOf(row),
  epoch: row.epoch,
  owner: row.leaseOwner ?? ('own_none' as unknown as OwnerToken),
  row,
});
