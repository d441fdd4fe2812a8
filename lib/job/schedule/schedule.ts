// A schedule as it is stored: one side row, found by its id, that stands in the due index shortly before each of its times.
import * as z from 'zod';
import { newId, type JobId, type Scope, type WriteId } from '../../core/ids.ts';
import { type EpochMs, earlier, latest } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { Engine } from '../engine.ts';
import type { Page, PageRequest, TransactWrite } from '../ports.ts';
import { laneSchema } from '../row.ts';
import type { SideGroup, SideParams, SideRef } from '../side/side.ts';
import { PATIENCE, untilAnswered } from '../write.ts';
import { nextTime, type Timing } from './times.ts';

const time = z.custom<EpochMs>((value) => typeof value === 'number');
const jobId = z.custom<JobId>((value) => typeof value === 'string');

/** What becomes of a time at which the run before has not ended. */
export const overlaps = ['allow', 'queue', 'skip', 'replace'] as const;
/** What becomes of times that nobody was there for. */
export const catchUps = ['none', 'last', 'all'] as const;

const definitionSchema = z.lazy(() =>
  z.object({
    kind: z.string(),
    /** JSON text. */
    input: z.string(),
    timing: z.union([
      z.object({ cron: z.string(), timeZone: z.string() }),
      z.object({ everySeconds: z.number(), anchor: time }),
    ]),
    /** The anchor was asked for. */
    anchored: z.boolean(),
    overlap: z.enum(overlaps),
    catchUp: z.enum(catchUps),
    /** The most runs that `all` makes up for. */
    catchUpLimit: z.number(),
    lane: laneSchema.optional(),
    flow: z.string().optional(),
    /** A run that did not start this long after its time is dropped. */
    startWithinSeconds: z.number().optional(),
  }),
);
export type ScheduleDefinition = z.infer<typeof definitionSchema>;

const runSchema = z.lazy(() =>
  z.object({
    at: time,
    /** Skipped: the run before had not ended. Missed: nobody was there. Failed: it could not be submitted. */
    outcome: z.enum(['started', 'skipped', 'missed', 'failed']),
    by: z.enum(['time', 'hand']),
    jobId: jobId.optional(),
    /** The last of several such times in a row, and how many there were. */
    until: time.optional(),
    count: z.number().optional(),
    code: z.string().optional(),
    detail: z.string().optional(),
  }),
);
/** What became of a time of a schedule. */
export type ScheduleRun = z.infer<typeof runSchema>;

const fromJson = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

const rowSchema = z.lazy(() =>
  z.object({
    definition: fromJson(definitionSchema),
    state: z.enum(['active', 'paused']),
    /** Raised by every change. */
    serial: z.number(),
    /** Raised by what people change: the definition and the state. */
    edition: z.number(),
    createdAt: time,
    updatedAt: time,
    /** Who wrote last: tells a change whose answer was lost. */
    changedBy: z.custom<WriteId>((value) => typeof value === 'string'),
    nextAt: time.optional(),
    /** When the sweep looks at it. */
    dueAt: time.optional(),
    /** The last time that has been dealt with. */
    lastAt: time.optional(),
    /** Ticks that were sent for `nextAt`. */
    ticks: z.number(),
    /** The newest first. */
    runs: fromJson(z.array(runSchema)),
    lastJob: jobId.optional(),
  }),
);
const serialSchema = z.object({ serial: z.number() });
type Stored = z.infer<typeof rowSchema>;
export interface Schedule extends Stored {
  readonly ref: SideRef;
}

export type ScheduleEngine = Pick<Engine, 'store' | 'clock' | 'chance' | 'settings'>;

export const schedulesOf = ({ tenant, workspace }: Scope): SideGroup => ({
  tenant,
  workspace,
  family: 'schedule',
  group: '',
});
export const scheduleRef = (scope: Scope, id: string): SideRef => ({ ...schedulesOf(scope), name: id });

export async function readSchedule(engine: ScheduleEngine, ref: SideRef): Promise<Schedule | undefined> {
  const row = await readStored(engine, ref);
  return row === undefined || isRemoved(row) ? undefined : { ref, ...rowSchema.parse(row) };
}

const readStored = (engine: ScheduleEngine, ref: SideRef): Promise<Row | undefined> =>
  untilAnswered(engine, PATIENCE, () => engine.store.getSide(ref));

/** What is left of a schedule that was removed. */
export const isRemoved = (row: Row): boolean => row['removed'] === true;

/** By id. */
export async function listSchedules(
  { store }: Pick<Engine, 'store'>,
  scope: Scope,
  page: PageRequest,
): Promise<Page<Schedule>> {
  const { items, ...rest } = await store.listSides(schedulesOf(scope), page);
  const read = ({ name, row }: { name: string; row: Row }) => ({
    ref: scheduleRef(scope, name),
    ...rowSchema.parse(row),
  });
  return { items: items.filter(({ row }) => !isRemoved(row)).map(read), ...rest };
}

/** What a change sets; times that are left out are removed. */
export interface Change {
  readonly definition?: ScheduleDefinition;
  readonly state?: Stored['state'];
  readonly edition?: number;
  readonly lastAt?: EpochMs;
  readonly lastJob?: JobId;
  readonly runs?: readonly ScheduleRun[];
  readonly nextAt: EpochMs | undefined;
}

const MOST_RUNS = 10;

/** The attributes of a change as they are stored. */
function fieldsOf(engine: ScheduleEngine, { definition, runs, nextAt: _, ...plain }: Change): Row {
  const now = engine.clock.now();
  return {
    ...plain,
    ...(definition && { definition: JSON.stringify(definition) }),
    ...(runs && { runs: JSON.stringify(runs.slice(0, MOST_RUNS)) }),
    ...(plain.edition !== undefined && { updatedAt: now }),
    changedBy: newId('w', now, engine.chance),
  };
}

/** Shortly before its next time a schedule is due, for the sweep to send a tick. */
const dueFor = ({ settings }: ScheduleEngine, nextAt: EpochMs): EpochMs => earlier(nextAt, settings.armBefore);

/** Whether the schedule was made: there is none of the name, or it was removed. */
export async function writeNew(
  engine: ScheduleEngine,
  ref: SideRef,
  change: Required<Pick<Change, 'definition'>> & Pick<Change, 'nextAt'>,
): Promise<boolean> {
  const params = newParams(engine, change, await readStored(engine, ref));
  const written = await untilAnswered(engine, PATIENCE, () => engine.store.writeSide(ref, 'create-schedule', params));
  return written.kind === 'applied' || written.found?.['changedBy'] === params.fields['changedBy'];
}

function newParams(
  engine: ScheduleEngine,
  change: Required<Pick<Change, 'definition'>> & Pick<Change, 'nextAt'>,
  removed: Row | undefined,
): SideParams<'create-schedule'> & { readonly fields: Row } {
  const now = engine.clock.now();
  const { nextAt } = change;
  const serialRead = removed && serialSchema.parse(removed).serial;
  const fields = {
    ...fieldsOf(engine, { ...change, state: 'active', edition: 1, runs: [] }),
    ...{ serial: (serialRead ?? 0) + 1, createdAt: now, ticks: 0 },
    ...(nextAt !== undefined && { nextAt, dueAt: dueFor(engine, nextAt) }),
  };
  return { fields, now, serialRead };
}

/** The write of a change to a schedule as it was read. */
export function changeWrite(
  engine: ScheduleEngine,
  { ref: side, serial }: Schedule,
  change: Change,
): Extract<TransactWrite, { side: unknown }> & { readonly params: SideParams<'change-schedule'> } {
  const { nextAt } = change;
  const times = nextAt === undefined ? {} : { nextAt, dueAt: dueFor(engine, nextAt) };
  return { side, rule: 'change-schedule', params: { serial, fields: fieldsOf(engine, change), ...times } };
}

/** Whether the change was made; false where the schedule has moved on. One whose answer was lost is told by who changed last. */
export async function applyChange(engine: ScheduleEngine, schedule: Schedule, change: Change): Promise<boolean> {
  const { side, params } = changeWrite(engine, schedule, change);
  const written = await untilAnswered(engine, PATIENCE, () => engine.store.writeSide(side, 'change-schedule', params));
  return written.kind === 'applied' || written.found?.['changedBy'] === params.fields['changedBy'];
}

/** The first time that is still to come: never one that was dealt with, whatever the clocks say. */
export const upcoming = (timing: Timing, now: EpochMs, lastAt: EpochMs | undefined): EpochMs | undefined =>
  nextTime(timing, latest(now, lastAt ?? now));

/** Skipped and missed times in a row are one entry. */
export function withRun(runs: readonly ScheduleRun[], run: ScheduleRun): ScheduleRun[] {
  const [newest, ...older] = runs;
  const joins = (run.outcome === 'skipped' || run.outcome === 'missed') && newest?.outcome === run.outcome;
  if (!joins || newest.by !== run.by) return [run, ...runs];
  return [{ ...newest, until: run.until ?? run.at, count: (newest.count ?? 1) + (run.count ?? 1) }, ...older];
}
