// Parents and children: a parent hears that its child has ended, and the children of a job that was cancelled are cancelled with it.
import { cancelJob } from '../../job/run/cancel.ts';
import { childEnded, findChild, listChildren } from '../../job/waits/children.ts';
import { Fault } from '../../core/fault.ts';
import type { JobRef } from '../../core/ids.ts';
import { StoreUnavailable } from '../../job/ports.ts';
import { type JobRow, refOf } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';
import { type EffectEngine, mayPass, type RelayEffect } from '../effect.ts';

const REASON = 'Its parent was cancelled.';

/** One parent's children one after another: they are counted on one row. */
export const childEndedEffect = (engine: EffectEngine): RelayEffect => ({
  name: 'child-ended',
  keyOf: ({ after }) => (after !== undefined && isTerminal(after.status) ? after.parentId : undefined),
  apply: async ({ after }) => {
    if (after !== undefined) await childEnded(engine, after);
  },
});

/**
 * The children of the life that was cancelled, and no others: the job may be redriven meanwhile. A child that a run submits while its
 * parent is being cancelled is met when it is submitted.
 */
export const childrenCancelledEffect = (engine: EffectEngine): RelayEffect => ({
  name: 'children-cancelled',
  keyOf: ({ after }) =>
    after?.status === 'cancelled' || (after?.rule === 'submit' && after.parentId !== undefined) ? after.id : undefined,
  apply: async ({ after }) => {
    if (after === undefined) return;
    if (after.status === 'cancelled') await cancelChildrenOf(engine, after);
    else await cancelIfOrphan(engine, after);
  },
});

async function cancelChildrenOf(engine: EffectEngine, parent: JobRow): Promise<void> {
  const children = await listChildren(engine, refOf(parent));
  const open = children.filter((child) => child.status === undefined && child.life === lifeOf(parent));
  const failures: unknown[] = [];
  for (const { id } of open) {
    // One that cannot be cancelled now, or ever, keeps none of its siblings alive.
    await cancelIfThere(engine, { ...refOf(parent), id }).catch((thrown: unknown) => failures.push(thrown));
  }
  if (failures.length > 0) throw failures.find(mayPass) ?? failures[0];
}

async function cancelIfOrphan(engine: EffectEngine, child: JobRow): Promise<void> {
  if (child.parentId === undefined) return;
  const parent = await engine.store.get({ ...refOf(child), id: child.parentId });
  if (parent?.status !== 'cancelled') return;
  const known = await findChild(engine, refOf(parent), child.id);
  if (known?.life === lifeOf(parent)) await cancelIfThere(engine, refOf(child));
}

const lifeOf = ({ redrives = 0 }: JobRow): number => redrives;

/** Throws StoreUnavailable for a child that moved on each time, so that its parent's change comes again. */
async function cancelIfThere(engine: EffectEngine, child: JobRef): Promise<void> {
  try {
    await cancelJob(engine, child, REASON);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    if (thrown.code === 'CONFLICT') throw new StoreUnavailable(thrown.detail, { cause: thrown });
    if (thrown.code !== 'NOT_FOUND') throw thrown;
  }
}
