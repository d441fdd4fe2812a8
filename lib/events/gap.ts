// The table's stream keeps a change for 24 hours. What a relay that was off for longer never reads is missing from timelines, and one event
// `relay.gap` says so: at the last version that is missing, as the row stood then. Versions rise by one, so the event before it tells
// where the gap begins.
import { timeOfId } from '../core/ids.ts';
import { between, type Clock, type DurationMs, type EpochMs, hours, later } from '../core/time.ts';
import type { JobEvent, JobStore } from '../job/ports.ts';
import type { JobRow } from '../job/row.ts';
import type { EngineSettings } from '../job/settings.ts';
import type { JobChange } from './effect.ts';
import { eventOf } from './event-row.ts';

/** A change of this age may be lost: what the stream keeps, less the difference of two clocks. */
export const MAY_BE_LOST: DurationMs = hours(23);
/** A change of this age that was not told of never will be. */
const IS_LOST: DurationMs = hours(25);

const GAP = 'relay.gap';

interface GapDeps {
  readonly store: Pick<JobStore, 'events'>;
  readonly clock: Clock;
  readonly settings: Pick<EngineSettings, 'keepEvents'>;
}

/**
 * The event of the gap before a change; undefined where there is none. One read, and only where the change before this one is old enough
 * to be lost and too young for its event to have expired: never for a job that ends within a day. Throws StoreUnavailable.
 */
export async function gapBefore({ store, clock, settings }: GapDeps, change: JobChange): Promise<JobEvent | undefined> {
  const { before, after } = change;
  if (before === undefined || before.createdAt !== after?.createdAt) return undefined;
  const now = clock.now();
  if (!isOfAge(before, MAY_BE_LOST, now) || mayBeExpired(before, settings, now)) return undefined;
  const { items } = await store.events(before, { limit: 1, afterVersion: before.version - 1 });
  if (items[0]?.version === before.version) return undefined;
  return eventOf(settings, { ...before, rule: GAP }, now);
}

/**
 * What stands at the end of a timeline whose last changes were lost, and which no later change has told of; undefined where it is whole up
 * to `told`, the version of the last event, or may yet be.
 */
export function lostEnd({ clock, settings }: Omit<GapDeps, 'store'>, row: JobRow, told: number): JobEvent | undefined {
  const now = clock.now();
  const missing = row.version > told && isOfAge(row, IS_LOST, now) && !mayBeExpired(row, settings, now);
  return missing ? eventOf(settings, { ...row, rule: GAP }, now) : undefined;
}

/** Whether the row's last loud write is so long ago. */
function isOfAge({ writeId }: JobRow, age: DurationMs, now: EpochMs): boolean {
  const written = timeOfId(writeId);
  return written !== undefined && between(written, now) >= age;
}

/** An event is made after its change, so it is there for at least as long from then on. */
function mayBeExpired({ writeId }: JobRow, { keepEvents }: GapDeps['settings'], now: EpochMs): boolean {
  const written = timeOfId(writeId);
  return keepEvents !== 0 && written !== undefined && later(written, keepEvents) <= now;
}
