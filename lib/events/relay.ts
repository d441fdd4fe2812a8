// The change stream is the outbox: each loud change of a job row becomes one numbered event row. Put-if-absent, so a change that is
// read twice makes one event; quiet changes (a heartbeat, a re-arm) raise no version and make none.
import type { Log } from '../core/log.ts';
import { type Clock, later, toEpochSeconds } from '../core/time.ts';
import type { JobEvent, JobStore } from '../job/ports.ts';
import { type JobRow, jobRowSchema } from '../job/row.ts';
import type { EngineSettings } from '../job/settings.ts';

export interface RelayDeps {
  readonly store: Pick<JobStore, 'putEvent'>;
  readonly clock: Clock;
  readonly settings: Pick<EngineSettings, 'keepEvents'>;
  readonly log: Log;
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

/** Relays one change. A change that cannot be read is logged and passed over; throws StoreUnavailable when the event was not written. */
export async function relayChange(deps: RelayDeps, change: Change): Promise<void> {
  if (change.after === undefined) return;
  const row = jobRowSchema.safeParse(change.after);
  if (!row.success) return relayUnreadable(deps, change.after);
  if (versionOf(change.before) === row.data.version) return;
  await deps.store.putEvent(eventOf(deps, row.data));
}

/** Leaves an event `relay.unreadable` at the row's version, where at least that can be read. */
async function relayUnreadable(deps: RelayDeps, after: unknown): Promise<void> {
  const mark = markSchema.safeParse(after);
  deps.log.error('A change of a job row could not be read.', mark.success ? { jobId: mark.data.id } : {});
  if (!mark.success) return;
  await deps.store.putEvent(eventOf(deps, { ...mark.data, rule: 'relay.unreadable' }));
}

type Eventful = Pick<JobRow, 'tenant' | 'workspace' | 'id' | 'createdAt' | 'version' | 'rule' | 'status' | 'epoch'> &
  Partial<Pick<JobRow, 'stage' | 'progress' | 'error'>>;

function eventOf({ clock, settings }: RelayDeps, row: Eventful): JobEvent {
  const at = clock.now();
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
    ...(row.stage === undefined ? {} : { stage: row.stage }),
    ...(row.progress === undefined ? {} : { progress: row.progress }),
    ...(row.error === undefined ? {} : { error: row.error }),
    ...(settings.keepEvents === 0 ? {} : { expiresAt: toEpochSeconds(later(at, settings.keepEvents)) }),
  };
}

const versionOf = (before: unknown): unknown =>
  typeof before === 'object' && before !== null && 'version' in before ? before.version : undefined;
