// Backlogs that do not go away: a lane or a flow that is over a threshold at three looks in a row is told of once, and once when it is over.
// The state of each is a row that changes only for who has read it as it is, so that many reapers make one event.
import * as z from 'zod';
import { asError } from '../../core/check.ts';
import type { Scope, TenantId, WorkspaceId } from '../../core/ids.ts';
import { between, type DurationMs, type EpochMs, epochMs, minutes, seconds } from '../../core/time.ts';
import type { Announcement, Announcer } from '../announcer.ts';
import { type Backlogs, type Gauge, gaugesOf, sampleWaiting, type Subject } from './backlog.ts';
import type { Engine } from '../engine.ts';
import type { JobStore } from '../ports.ts';
import { laneSchema } from '../row.ts';
import type { SideGroup, SideRef } from '../side/side.ts';

export interface HealthSettings {
  /** Doorbells of a lane; more are a backlog. */
  readonly depth: number;
  /** How long a job may wait for a worker. */
  readonly age: DurationMs;
  /** Looks in a row at which it was over. */
  readonly strikes: number;
}
export const healthDefaults: HealthSettings = { depth: 1000, age: minutes(5), strikes: 3 };

export interface HealthParts extends Pick<Engine, 'store' | 'clock' | 'log'> {
  readonly backlogs: Backlogs;
  readonly announcer?: Announcer | undefined;
  readonly health?: HealthSettings | undefined;
}

/** Looks nearer to each other than this are one look, by two reapers. */
const BETWEEN_LOOKS = seconds(45);

const scope = { tenant: z.custom<TenantId>(), workspace: z.custom<WorkspaceId>() };
const flowSchema = z.object({ ...scope, flow: z.string() });
const stateSchema = z.lazy(() =>
  z.object({
    subject: z.union([z.object({ queue: z.string(), lane: laneSchema }), flowSchema]),
    serial: z.number(),
    strikes: z.number(),
    over: z.boolean(),
    /** Of the first of the strikes. */
    since: z.number().transform(epochMs),
    /** Of the last look that changed it. */
    at: z.number().transform(epochMs),
    /** A change that was not announced yet, as far as the row knows. */
    untold: z.boolean(),
    depth: z.number(),
    age: z.number(),
    worst: flowSchema.extend({ jobs: z.number() }).optional(),
  }),
);
/** What is known of a lane or a flow that was over at the last look, or of which it was told that it is. */
export type BacklogState = z.output<typeof stateSchema>;
type Fields = Omit<BacklogState, 'serial'>;

const group: SideGroup = {
  tenant: 'system' as unknown as TenantId,
  workspace: 'system' as unknown as WorkspaceId,
  family: 'health',
  group: 'backlog',
};
const nameOf = (subject: Subject): string =>
  'queue' in subject
    ? JSON.stringify(['lane', subject.queue, subject.lane])
    : JSON.stringify(['flow', subject.tenant, subject.workspace, subject.flow]);
const sideOf = (subject: Subject): SideRef => ({ ...group, name: nameOf(subject) });
const PAGE = 1000;

/** Throws StoreUnavailable. */
export async function backlogStates(store: Pick<JobStore, 'listSides'>): Promise<BacklogState[]> {
  const { items } = await store.listSides(group, { limit: PAGE });
  return items.map(({ row }) => stateSchema.parse(row));
}

/** One look, once a minute; answers how many are told of as behind. Throws StoreUnavailable. */
export async function checkBacklogs(parts: HealthParts): Promise<number> {
  const { store, backlogs, clock, health = healthDefaults } = parts;
  const now = clock.now();
  const [lanes, known] = await Promise.all([backlogs.lanes(), backlogStates(store)]);
  const busy = known.length > 0 || lanes.some(({ waiting }) => waiting > 0);
  const sample = busy ? await sampleWaiting(store, now) : [];
  const gauges = gaugesOf(lanes, sample, (kind) => backlogs.queueOf(kind), now);
  const over = gauges.filter(
    ({ depth, age, subject }) => age >= health.age || ('queue' in subject && depth >= health.depth),
  );
  const states = new Map(known.map((state) => [nameOf(state.subject), state]));
  for (const gauge of over) await strike(parts, gauge, states.get(nameOf(gauge.subject)), now);
  const overNames = new Set(over.map(({ subject }) => nameOf(subject)));
  for (const [name, state] of states) if (!overNames.has(name)) await clear(parts, state, now);
  return (await backlogStates(store)).filter(({ over: told }) => told).length;
}

async function strike(parts: HealthParts, gauge: Gauge, state: BacklogState | undefined, now: EpochMs): Promise<void> {
  const { subject, depth, age, worst } = gauge;
  const measured = { subject, depth, age, worst, at: now };
  if (state === undefined) {
    const fields = { ...measured, serial: 0, strikes: 1, over: false, since: now, untold: false };
    await parts.store.writeSide(sideOf(subject), 'create', { fields, now });
    return;
  }
  if (between(state.at, now) < BETWEEN_LOOKS) return;
  const strikes = state.over ? state.strikes : state.strikes + 1;
  const over = strikes >= (parts.health ?? healthDefaults).strikes;
  const untold = over !== state.over || state.untold;
  await change(parts, state, { ...measured, strikes, over, since: state.strikes === 0 ? now : state.since, untold });
}

async function clear(parts: HealthParts, state: BacklogState, now: EpochMs): Promise<void> {
  if (between(state.at, now) < BETWEEN_LOOKS) return;
  const fields = { ...state, at: now, over: false, strikes: 0, depth: 0, age: 0 };
  if (state.over || state.untold) await change(parts, state, { ...fields, untold: true });
  else await parts.store.writeSide(sideOf(state.subject), 'remove', {});
}

/** Whoever's write it is tells of it; what could not be told is told at a later look, under the same id. */
async function change(parts: HealthParts, state: BacklogState, fields: Fields): Promise<void> {
  const side = sideOf(state.subject);
  const { serial } = state;
  const written = await parts.store.writeSide(side, 'change', { serial, fields: { ...fields, serial: undefined } });
  if (written.kind === 'refused' || !fields.untold || !(await tell(parts, fields))) return;
  await parts.store.writeSide(side, 'change', { serial: serial + 1, fields: { untold: false } });
}

async function tell({ announcer, log }: HealthParts, fields: Fields): Promise<boolean> {
  const announcement = announcementOf(fields);
  log.warn(fields.over ? 'A backlog does not go away.' : 'A backlog is gone.', { ...announcement.detail });
  try {
    return ((await announcer?.announce([announcement])) ?? []).length === 0;
  } catch (thrown) {
    log.warn('A backlog was not announced; it is at the next look.', { error: asError(thrown).message });
    return false;
  }
}

function announcementOf({ subject, since, at, over, depth, age, worst }: Fields): Announcement {
  const type = over ? 'backlog.growing' : 'backlog.gone';
  const measured = over ? { depth, ageSeconds: Math.round(age / 1000), ...(worst && { worst }) } : {};
  return { type, at, detail: { id: `${nameOf(subject)}#${since}#${type}`, ...subject, since, ...measured } };
}

/** What a workspace may know: the lanes, which all share, and its own flows. */
export const visibleTo = (
  { tenant, workspace }: Scope,
  { subject, worst }: Pick<BacklogState, 'subject' | 'worst'>,
) => {
  const isOurs = (of: Scope) => of.tenant === tenant && of.workspace === workspace;
  return { subject: 'queue' in subject || isOurs(subject), worst: worst !== undefined && isOurs(worst) };
};
