// A guard is a value under a key that delayed work was submitted under: once it has moved on, the work is of the past and is dropped.
import * as z from 'zod';
import type { Scope } from '../../core/ids.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { Engine } from '../engine.ts';
import type { TransactWrite } from '../ports.ts';
import type { JobRow } from '../row.ts';
import type { SideRef } from '../side/side.ts';
import { changed, laterThan } from '../side/side-change.ts';

const guardSchema = z.object({
  value: z.string(),
  since: z.custom<EpochMs>((value) => typeof value === 'number'),
});
export type GuardValue = z.infer<typeof guardSchema>;

export const guardRef = ({ tenant, workspace }: Scope, name: string): SideRef => ({
  tenant,
  workspace,
  family: 'guard',
  group: '',
  name,
});
export const valueIn = (row: Row | undefined): string | undefined => row && guardSchema.parse(row).value;

/** Undefined for one that was never set; everything passes it. */
export async function findGuard(
  { store }: Pick<Engine, 'store'>,
  scope: Scope,
  name: string,
): Promise<GuardValue | undefined> {
  const row = await store.getSide(guardRef(scope, name));
  return row && guardSchema.parse(row);
}

/** `stays`: whether it is left at the value that it stands at. */
export async function setGuard(
  engine: Pick<Engine, 'store' | 'clock' | 'chance'>,
  scope: Scope,
  name: string,
  value: string,
  stays: (current: string) => boolean = (current) => current === value,
): Promise<GuardValue> {
  const side = guardRef(scope, name);
  const row = await changed(engine, side, async (found) => {
    const current = valueIn(found);
    if (found !== undefined && current !== undefined && stays(current)) return { kind: 'applied', row: found };
    const sinceRead = found === undefined ? epochMs(0) : guardSchema.parse(found).since;
    const now = laterThan(sinceRead, engine.clock.now());
    return engine.store.writeSide(side, 'set-guard', { value, now, sinceRead });
  });
  return guardSchema.parse(row);
}

/** Tests that the guard stands at `value`. */
export const guardCheck = (scope: Scope, name: string, value: string): TransactWrite => ({
  side: guardRef(scope, name),
  rule: 'guard-is',
  params: { value },
});

/** Tests that the guard of a job, if it has one, has not moved on. */
export const guardHolds = (row: JobRow): TransactWrite[] =>
  row.guardKey === undefined
    ? []
    : [{ side: guardRef(row, row.guardKey), rule: 'guard-holds', params: { value: row.guardValue ?? '' } }];
