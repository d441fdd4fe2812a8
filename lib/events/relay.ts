// The change stream is the outbox: each loud change of a job row becomes one numbered event row, and what follows from it is done.
// The event is put-if-absent, so a change that is read twice makes one; quiet changes (a heartbeat, a re-arm) make none.
import * as z from 'zod';
import { timeOfId } from '../core/ids.ts';
import { asError } from '../core/check.ts';
import type { Log } from '../core/log.ts';
import { type Clock, type EpochMs, epochMs, later, toEpochSeconds } from '../core/time.ts';
import type { Announcer } from '../job/announcer.ts';
import type { EventPut, JobEvent, JobStore } from '../job/ports.ts';
import { type JobRow, jobRowSchema } from '../job/row.ts';
import type { EngineSettings } from '../job/settings.ts';
import { applyEffects, mayPass, type JobChange, type Placed, type RelayEffect } from './effect.ts';
import { endingOf } from './endings.ts';
import type { RowChange } from './stat-bucket.ts';

export interface RelayDeps {
  readonly store: Pick<JobStore, 'putEvents'>;
  readonly clock: Clock;
  readonly settings: Pick<EngineSettings, 'keepEvents'>;
  readonly log: Log;
  /** What follows from a change, whether or not its event was there already; see effects.ts. */
  readonly effects?: readonly RelayEffect[] | undefined;
  /** Told of the changes whose event is new; must not throw. */
  readonly count?: ((changes: readonly RowChange[]) => Promise<void>) | undefined;
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
 * Relays changes: their events in one write, then what follows from them. A change that cannot be read is logged and leaves a mark.
 * Answers the index of the first change that is not wholly relayed, undefined when all are; throws StoreUnavailable when nothing is known
 * of any.
 */
export async function relayChanges(deps: RelayDeps, changes: readonly Change[]): Promise<number | undefined> {
  const puts = await putEvents(deps, changes);
  const placed = changes.flatMap(loudChange);
  const [again, unheard] = await Promise.all([
    applyEffects(deps.effects ?? [], placed, deps.log),
    announce(deps, placed),
    deps.count?.(placed.flatMap(({ index, change }) => (puts.get(index) === 'written' ? counted(change) : []))),
  ]);
  const unanswered = [...puts].filter(([, put]) => put === 'unanswered').map(([index]) => index);
  const first = Math.min(...unanswered, ...again, ...unheard);
  return Number.isFinite(first) ? first : undefined;
}

/** What became of each change's event, by its index; a change that makes none is not in it. */
async function putEvents(deps: RelayDeps, changes: readonly Change[]): Promise<ReadonlyMap<number, EventPut>> {
  const told = changes.flatMap((change, index) => {
    const event = eventFor(deps, change);
    return event === undefined ? [] : [{ event, index }];
  });
  const puts = await deps.store.putEvents(told.map(({ event }) => event));
  return new Map(told.map(({ index }, place) => [index, puts[place] ?? 'unanswered']));
}

const counted = ({ before, after }: JobChange): RowChange[] => (after === undefined ? [] : [{ before, after }]);

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

const rowIn = (image: unknown): JobRow | undefined => jobRowSchema.safeParse(image).data;

function eventFor(deps: RelayDeps, { before, after }: Change): JobEvent | undefined {
  if (after === undefined) return undefined;
  const row = jobRowSchema.safeParse(after);
  if (!row.success) return unreadable(deps, after);
  return versionOf(before) === row.data.version
    ? undefined
    : eventOf(deps, row.data, lapseBetween(deps, before, row.data));
}

/** An event `relay.unreadable` at the row's version, where at least that can be read. */
function unreadable(deps: RelayDeps, after: unknown): JobEvent | undefined {
  const mark = markSchema.safeParse(after);
  deps.log.error('A change of a job row could not be read.', mark.success ? { jobId: mark.data.id } : {});
  return mark.success ? eventOf(deps, { ...mark.data, rule: 'relay.unreadable' }) : undefined;
}

type Eventful = Pick<JobRow, 'tenant' | 'workspace' | 'id' | 'createdAt' | 'version' | 'rule' | 'status' | 'epoch'> &
  Partial<Pick<JobRow, 'writeId' | 'stage' | 'progress' | 'error' | 'parked' | 'cancelRequested' | 'notBefore'>>;

/** When the lease that `after` lacks had ended, if it had; a reclaimed one has no end of its own. */
function lapseBetween({ clock }: RelayDeps, before: unknown, after: JobRow): EpochMs | undefined {
  const lease = leaseSchema.safeParse(before).data?.leaseUntil ?? 0;
  return after.leaseUntil === undefined && lease > 0 && lease <= clock.now() ? epochMs(lease) : undefined;
}

const leaseSchema = z.object({ leaseUntil: z.number().optional() });

function eventOf({ clock, settings }: RelayDeps, row: Eventful, lapsedAt?: EpochMs): JobEvent {
  const at = clock.now();
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
    ...(settings.keepEvents === 0 ? {} : { expiresAt: toEpochSeconds(later(at, settings.keepEvents)) }),
  };
}

const versionOf = (before: unknown): unknown =>
  typeof before === 'object' && before !== null && 'version' in before ? before.version : undefined;
