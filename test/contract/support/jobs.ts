// Jobs for the store suites: ids of their own, so that the tests of a suite share one table.
import { seededChance } from '../../../lib/core/chance.ts';
import {
  type JobRef,
  newId,
  type OwnerToken,
  type TenantId,
  type WorkspaceId,
  type WriteId,
} from '../../../lib/core/ids.ts';
import { type EpochMs, epochMs, type EpochSeconds, later, seconds } from '../../../lib/core/time.ts';
import type { NewJobRow, RuleParams } from '../../../lib/job/ports.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';

export const now = epochMs(Date.UTC(2025, 2, 1, 12));
export const scope = { tenant: 'acme' as TenantId, workspace: 'main' as WorkspaceId };
const chance = seededChance(1);

export const aRef = (): JobRef => ({ ...scope, id: newId('job', now, chance) });
export const aWriteId = (): WriteId => newId('w', now, chance);
export const anOwner = (): OwnerToken => newId('own', now, chance);

/** A running row with an id of its own. */
export const aRunning = (given: Partial<JobRow> = {}): JobRow => aJobRow({ status: 'running', ...aRef(), ...given });

export function aSubmit(
  ref: JobRef = aRef(),
  createdAt: EpochMs = now,
  more: Partial<NewJobRow> = {},
): { row: NewJobRow; params: RuleParams<'submit'> } {
  const { status, rule, writeId, submitId, epoch, dueAt, ...rest } = aJobRow({ ...ref, createdAt, version: createdAt });
  const params = {
    writeId: aWriteId(),
    submitId: aWriteId(),
    epoch: createdAt as number as RuleParams<'submit'>['epoch'],
    nowSeconds: Math.floor(createdAt / 1000) as EpochSeconds,
    dueAt: later(createdAt, seconds(45)),
  };
  return { row: { ...rest, ...more }, params };
}

export const aClaimOf = (row: JobRow): RuleParams<'claim'> => ({
  writeId: aWriteId(),
  epoch: row.epoch,
  owner: anOwner(),
  now,
  heldBy: 'worker',
  leaseUntil: later(now, seconds(45)),
});

/** What its claimant settles a running row with. */
export const aSettle = (row: JobRow): RuleParams<'succeed'> => ({
  writeId: aWriteId(),
  epoch: row.epoch,
  owner: row.leaseOwner ?? anOwner(),
  now,
});
