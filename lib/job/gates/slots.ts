// Places under a key: a counter, and a row for each holder. Both move in one transaction, so the counter is exact; a holder counts
// exactly while its job runs at its epoch, so places need no lease of their own.
import * as z from 'zod';
import type { Epoch, JobId, JobRef, Scope, WorkspaceId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { TransactWrite } from '../ports.ts';
import type { JobRow, Slot } from '../row.ts';
import type { SideGroup, SideRef } from '../side/side.ts';

const counterSchema = z.object({ held: z.number().default(0) });
const holderSchema = z.object({
  workspace: z.custom<WorkspaceId>((value) => typeof value === 'string'),
  job: z.custom<JobId>((value) => typeof value === 'string'),
  epoch: z.custom<Epoch>((value) => typeof value === 'number'),
});

/** Keys that begin so are the engine's own: a tenant's cap, over all of its workspaces. */
export const TENANT_KEY = 'tenant:';
const EVERY_WORKSPACE = '*' as string as unknown as WorkspaceId;
export const HOLDERS = 'holder:';

/** What a job parks as that finds no place. */
export const slotReason = (key: string): string => `slot:${key}`;

export const placesOf = ({ tenant, workspace }: Scope, key: string): SideGroup => ({
  tenant,
  workspace: key.startsWith(TENANT_KEY) ? EVERY_WORKSPACE : workspace,
  family: 'slot',
  group: key,
});
export const counterOf = (scope: Scope, key: string): SideRef => ({ ...placesOf(scope, key), name: 'count' });
export const holderOf = (ref: JobRef, key: string, epoch: Epoch): SideRef => ({
  ...placesOf(ref, key),
  name: `${HOLDERS}${ref.workspace}:${ref.id}:${epoch}`,
});

/** How many places are taken; of a counter as it was read. */
export const heldOf = (counter: Row | undefined): number => counterSchema.parse(counter ?? {}).held;

/** Whose place it is: the job, and the epoch at which it must run for the place to count. */
export function holderIn(scope: Scope, row: Row): { readonly ref: JobRef; readonly epoch: Epoch } {
  const { workspace, job, epoch } = holderSchema.parse(row);
  return { ref: { tenant: scope.tenant, workspace, id: job }, epoch };
}

/** What takes a place under each key of the row for the run at `epoch`, all or none. */
export const takeWrites = (row: JobRow, slots: readonly Slot[], epoch: Epoch, now: EpochMs): TransactWrite[] =>
  slots.flatMap(({ key, limit }): TransactWrite[] => [
    { side: counterOf(row, key), rule: 'take-slot', params: { limit } },
    {
      side: holderOf(row, key, epoch),
      rule: 'create',
      params: { fields: { workspace: row.workspace, job: row.id, epoch }, now },
    },
  ]);

/** What gives a place back, once. */
export const giveWrites = (ref: JobRef, key: string, epoch: Epoch): TransactWrite[] => [
  { side: holderOf(ref, key, epoch), rule: 'remove', params: {} },
  { side: counterOf(ref, key), rule: 'give-slot', params: {} },
];

export const fullCheck = (scope: Scope, { key, limit }: Slot): TransactWrite => ({
  side: counterOf(scope, key),
  rule: 'slots-full',
  params: { limit },
});
