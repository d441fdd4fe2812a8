// What follows from a change of a job beside its event row. Each effect is a file in effects/, and effects.ts lists them.
import { asError } from '../core/check.ts';
import type { Log } from '../core/log.ts';
import { isOutage } from '../core/outage.ts';
import type { Engine } from '../job/engine.ts';
import { StoreUnavailable } from '../job/ports.ts';
import type { JobRow } from '../job/row.ts';

/** What effects may use; the relay has no handlers. */
export type EffectEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;
/** What those may use that follow what a row refers to. */
export type PayloadEngine = Pick<Engine, 'store' | 'objects'>;

/** A loud change of a job's row; without `before` the row is new, without `after` it was removed. */
export interface JobChange {
  readonly before?: JobRow | undefined;
  readonly after?: JobRow | undefined;
}

export interface RelayEffect {
  readonly name: string;
  /** Changes with one key are applied one after another, in their order; undefined where nothing follows from the change. */
  keyOf(change: JobChange): string | undefined;
  /**
   * Idempotent by (job, version), for a change may be relayed twice, and late, when the job has moved on. An outage brings the change
   * again; anything else that it throws is logged, and the change is passed over.
   */
  apply(change: JobChange): Promise<void>;
}

/** A change and where it stood in its batch. */
export interface Placed {
  readonly index: number;
  readonly change: JobChange;
}

/** Applies every effect; answers the indexes of the changes that must come again. */
export async function applyEffects(
  effects: readonly RelayEffect[],
  placed: readonly Placed[],
  log: Log,
): Promise<number[]> {
  const chains = effects.flatMap((effect) => {
    const keyed = placed.map((each) => ({ ...each, key: effect.keyOf(each.change) }));
    const byKey = Map.groupBy(keyed, ({ key }) => key);
    byKey.delete(undefined);
    return [...byKey.values()].map((chain) => applyChain(effect, chain, log));
  });
  return (await Promise.all(chains)).filter((index) => index !== undefined);
}

/** The index of the first change that met an outage; what stands behind it waits for it. */
async function applyChain(effect: RelayEffect, chain: readonly Placed[], log: Log): Promise<number | undefined> {
  for (const { index, change } of chain) if (!(await isApplied(effect, change, log))) return index;
  return undefined;
}

/** False where the change must come again. */
async function isApplied(effect: RelayEffect, change: JobChange, log: Log): Promise<boolean> {
  try {
    await effect.apply(change);
    return true;
  } catch (thrown) {
    const fields = { effect: effect.name, jobId: (change.after ?? change.before)?.id, error: asError(thrown).message };
    const outage = mayPass(thrown);
    if (outage) log.warn('An effect of a change was not answered; the change comes again.', fields);
    else log.error('An effect of a change failed and was passed over.', fields);
    return !outage;
  }
}

/** Whether what was thrown is an outage: the same may work later. */
export const mayPass = (thrown: unknown): boolean => thrown instanceof StoreUnavailable || isOutage(thrown);
