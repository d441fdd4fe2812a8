// How many callers may wait at once. A waiter holds a place, one side row; whoever dies in it loses it when its time is up, so none leaks.
// Places are tried by chance, a few at most: there are never more waiters than places, and some are turned away before all are taken.
import type { Chance } from '../core/chance.ts';
import { type JobRef, newId, type TenantId, type WorkspaceId } from '../core/ids.ts';
import { type Clock, type DurationMs, later, seconds, toEpochSeconds } from '../core/time.ts';
import type { JobStore } from '../job/ports.ts';
import type { SideRef } from '../job/side/side.ts';

export interface Place {
  /** Frees it; never throws, since an abandoned place frees itself. */
  leave(): Promise<void>;
}
export interface Places {
  /** Undefined where none was free. Throws StoreUnavailable. */
  take(): Promise<Place | undefined>;
}

export interface WatchParts {
  readonly places: Places;
  /** Resolves when the job, or its events, may have changed, or `signal` aborts; absent where nothing tells. */
  readonly changed?: ((ref: JobRef, signal: AbortSignal) => Promise<void>) | undefined;
}

/** For one process. */
export function createLocalPlaces(count: number): Places {
  let taken = 0;
  return {
    take: async () => {
      if (taken >= count) return undefined;
      taken += 1;
      return { leave: async () => void (taken -= 1) };
    },
  };
}

const TRIES = 4;
/** The store forgets the rows of places that are not taken any more. */
const FORGET_AFTER = seconds(3600);

const placeOf = (number: number): SideRef => ({
  tenant: 'system' as TenantId,
  workspace: 'system' as WorkspaceId,
  family: 'place',
  group: 'watch',
  name: String(number),
});

/** For every instance of a function: `hold` is longer than any wait. */
export const createSharedPlaces = (
  { store, clock, chance }: { store: Pick<JobStore, 'writeSide'>; clock: Clock; chance: Chance },
  { count, hold }: { readonly count: number; readonly hold: DurationMs },
): Places => ({
  take: async () => {
    const taker = newId('w', clock.now(), chance);
    for (let tries = 0; tries < TRIES; tries++) {
      const place = placeOf(Math.floor(chance.next() * count));
      const now = clock.now();
      const until = later(now, hold);
      const expiresAt = toEpochSeconds(later(until, FORGET_AFTER));
      const taken = await store.writeSide(place, 'take-place', { now, until, taker, expiresAt });
      if (taken.kind === 'applied' || taken.found?.['taker'] === taker)
        return { leave: () => store.writeSide(place, 'leave-place', { taker }).then(noMatter, noMatter) };
    }
    return undefined;
  },
});

const noMatter = (): void => undefined;
