// The change stream is the outbox: each loud change of a job row becomes one numbered event row, and what follows from it is done.
// The event is put-if-absent, so a change that is read twice makes one; quiet changes (a heartbeat, a re-arm) make none. Where changes before
// one were lost, an event says so.
import * as z from 'zod';
import { asError } from '../core/check.ts';
import type { JobRef } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { type Clock, type EpochMs, epochMs } from '../core/time.ts';
import type { Announcer } from '../job/announcer.ts';
import type { EventPut, JobEvent, JobStore } from '../job/ports.ts';
import { type JobRow, jobRowSchema } from '../job/row.ts';
import type { EngineSettings } from '../job/settings.ts';
import { applyEffects, mayPass, type JobChange, type Placed, type RelayEffect } from './effect.ts';
import { endingOf } from './endings.ts';
import { eventOf } from './event-row.ts';
import { gapBefore } from './gap.ts';
import type { Counting, RowChange } from './stat-bucket.ts';

export interface RelayDeps {
  readonly store: Pick<JobStore, 'putEvents' | 'events'>;
  readonly clock: Clock;
  readonly settings: Pick<EngineSettings, 'keepEvents'>;
  readonly log: Log;
  /** What follows from a change, whether or not its event was there already; see effects.ts. */
  readonly effects?: readonly RelayEffect[] | undefined;
  /** Told of the loud changes, and then to take back those whose event is not new; must not throw. */
  readonly count?: ((changes: readonly RowChange[], how: Counting) => Promise<void>) | undefined;
  /** Told of jobs that ended; again, with the same id, where a change is relayed again. */
  readonly announcer?: Announcer | undefined;
}

/** A row before and after a write, as the change stream gives it; `after` is absent when the row was removed. */
export interface Change {
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What an event row takes from a job row, so that a row of another format still leaves its mark. */
const markSchema = jobRowSchema
  .pick({ tenant: true, workspace: true, id: true, createdAt: true, version: true, status: true, epoch: true })
  .loose();

/**
 * Relays changes: their events, and what follows from them. A change that cannot be read is logged and leaves a mark.
 * Answers the index of the first change that is not wholly relayed, undefined when all are; throws StoreUnavailable when nothing is known
 * of any.
 */
export async function relayChanges(deps: RelayDeps, changes: readonly Change[]): Promise<number | undefined> {
  const placed = changes.flatMap(loudChange);
  const putting = putEvents(deps, changes, placed);
  // Side by side, for nothing here waits for an event: all of it may come again, and a batch is on its way for as long as the slowest.
  const [[put], again, unheard] = await Promise.all([
    Promise.allSettled([putting]),
    applyEffects(deps.effects ?? [], placed, deps.log),
    announce(deps, placed),
    countNew(deps, placed, putting),
  ]);
  if (put.status === 'rejected') throw put.reason;
  const unanswered = [...put.value].filter(([, answer]) => answer === 'unanswered').map(([index]) => index);
  const first = Math.min(...unanswered, ...again, ...unheard);
  return Number.isFinite(first) ? first : undefined;
}

/** Counts while the events are written, and takes back those that were there, which are counted, and those that come again. */
async function countNew({ count, clock }: RelayDeps, placed: readonly Placed[], putting: Promise<Puts>): Promise<void> {
  if (count === undefined) return;
  const at = clock.now();
  const counted = placed.flatMap(({ index, change: { before, after } }) =>
    after === undefined ? [] : [{ index, change: { before, after } }],
  );
  const puts = putting.catch((): Puts => new Map());
  await count(
    counted.map(({ change }) => change),
    { at, by: 1 },
  );
  const written = await puts;
  const back = counted.filter(({ index }) => written.get(index) !== 'written').map(({ change }) => change);
  if (back.length > 0) await count(back, { at, by: -1 });
}

/** What became of each change's event, by the change's index; a change that makes none is not in it. */
type Puts = ReadonlyMap<number, EventPut>;

interface Told {
  readonly index: number;
  readonly event: JobEvent;
}

/** The event of a gap goes with its change's. */
async function putEvents(deps: RelayDeps, changes: readonly Change[], placed: readonly Placed[]): Promise<Puts> {
  const told = changes.flatMap((change, index): Told[] => {
    const event = eventFor(deps, change);
    return event === undefined ? [] : [{ event, index }];
  });
  const gaps = await gapsIn(deps, told, placed);
  const puts = await deps.store.putEvents([...gaps, ...told].map(({ event }) => event));
  const answerTo = (place: number) => puts[place] ?? 'unanswered';
  const cut = new Set(gaps.filter((_, place) => answerTo(place) === 'unanswered').map(({ index }) => index));
  return new Map(
    told.map(({ index }, place) => [index, cut.has(index) ? 'unanswered' : answerTo(gaps.length + place)]),
  );
}

/** None before a change whose predecessor is told of in the same batch. */
async function gapsIn(deps: RelayDeps, told: readonly Told[], placed: readonly Placed[]): Promise<Told[]> {
  const keyOf = ({ tenant, workspace, id }: JobRef, version: number) =>
    JSON.stringify([tenant, workspace, id, version]);
  const here = new Set(told.map(({ event }) => keyOf({ ...event, id: event.jobId }, event.version)));
  const gaps = placed
    .filter(({ change: { before } }) => before !== undefined && !here.has(keyOf(before, before.version)))
    .map(async ({ index, change }) => ({ index, event: await gapBefore(deps, change) }));
  return (await Promise.all(gaps)).flatMap(({ index, event }) => (event === undefined ? [] : [{ index, event }]));
}

/** The indexes of the changes whose announcement was not taken. */
async function announce({ announcer, clock, log }: RelayDeps, placed: readonly Placed[]): Promise<number[]> {
  const told = placed.flatMap(({ index, change }) => {
    const announcement = endingOf(change, clock.now());
    return announcement === undefined ? [] : [{ index, announcement }];
  });
  if (announcer === undefined || told.length === 0) return [];
  try {
    const failed = await announcer.announce(told.map(({ announcement }) => announcement));
    return failed.flatMap((place) => told[place]?.index ?? []);
  } catch (thrown) {
    const [error, outage] = [asError(thrown).message, mayPass(thrown)];
    if (outage) log.warn('Ends of jobs were not announced; the changes come again.', { error });
    else log.error('Ends of jobs were not announced and were passed over.', { error });
    return outage ? told.map(({ index }) => index) : [];
  }
}

/** The change by its rows; none where it is quiet, or a row of it cannot be read. */
function loudChange({ before, after }: Change, index: number): Placed[] {
  const change: JobChange = { before: rowIn(before), after: rowIn(after) };
  const readable =
    (before === undefined) === (change.before === undefined) && (after === undefined) === (change.after === undefined);
  const loud = change.after === undefined || change.after.version !== change.before?.version;
  return readable && loud ? [{ index, change }] : [];
}

/** An image is read once, however often its row is asked for: reading is most of what a relay does. */
const read = new WeakMap<object, JobRow | 'unreadable'>();

function rowIn(image: unknown): JobRow | undefined {
  if (typeof image !== 'object' || image === null) return undefined;
  const row = read.get(image) ?? jobRowSchema.safeParse(image).data ?? 'unreadable';
  read.set(image, row);
  return row === 'unreadable' ? undefined : row;
}

function eventFor(deps: RelayDeps, { before, after }: Change): JobEvent | undefined {
  if (after === undefined) return undefined;
  const row = rowIn(after);
  if (row === undefined) return unreadable(deps, after);
  return versionOf(before) === row.version
    ? undefined
    : eventOf(deps.settings, row, deps.clock.now(), lapseBetween(deps, before, row));
}

/** An event `relay.unreadable` at the row's version, where at least that can be read. */
function unreadable(deps: RelayDeps, after: unknown): JobEvent | undefined {
  const mark = markSchema.safeParse(after);
  deps.log.error('A change of a job row could not be read.', mark.success ? { jobId: mark.data.id } : {});
  return mark.success
    ? eventOf(deps.settings, { ...mark.data, rule: 'relay.unreadable' }, deps.clock.now())
    : undefined;
}

/** When the lease that `after` lacks had ended, if it had; a reclaimed one has no end of its own. */
function lapseBetween({ clock }: RelayDeps, before: unknown, after: JobRow): EpochMs | undefined {
  if (after.leaseUntil !== undefined) return undefined;
  const lease = leaseSchema.safeParse(before).data?.leaseUntil ?? 0;
  return lease > 0 && lease <= clock.now() ? epochMs(lease) : undefined;
}

const leaseSchema = z.object({ leaseUntil: z.number().optional() });

const versionOf = (before: unknown): unknown =>
  typeof before === 'object' && before !== null && 'version' in before ? before.version : undefined;
