// What people do with schedules. Each verb reads, decides and writes one change; one that meets another's change decides anew.
import { Fault } from '../../core/fault.ts';
import type { JobId } from '../../core/ids.ts';
import type { Engine } from '../engine.ts';
import type { JobRow } from '../row.ts';
import { hours, later, toEpochSeconds } from '../../core/time.ts';
import type { SideRef } from '../side/side.ts';
import { PATIENCE, readRow, untilAnswered } from '../write.ts';
import {
  applyChange,
  type Change,
  isRemoved,
  readSchedule,
  type Schedule,
  type ScheduleDefinition,
  type ScheduleEngine,
  upcoming,
  writeNew,
} from './schedule.ts';
import { type StartEngine, startRun } from './start.ts';
import { sendTick } from './tick.ts';

type ManageEngine = ScheduleEngine & Pick<Engine, 'ringer' | 'log'>;

/** What must be so for the change to be made: the edition that was read, or that there is no such schedule yet. */
export interface Precondition {
  readonly edition?: number | undefined;
  readonly absent?: boolean | undefined;
}

const MOST_TRIES = 8;
/** How long the mark of a removed schedule stays: longer than any copy of a write is on its way. */
const MARK_KEPT = hours(24);

/** The schedule, or Fault NOT_FOUND. */
export async function getSchedule(engine: ScheduleEngine, ref: SideRef): Promise<Schedule> {
  const schedule = await readSchedule(engine, ref);
  if (schedule === undefined) throw new Fault('NOT_FOUND', `There is no schedule "${ref.name}" in this workspace.`);
  return schedule;
}

/**
 * Creates the schedule, or replaces what it does; one that is paused stays so, and what is under way goes on. Throws Fault
 * PRECONDITION_FAILED, CONFLICT and StoreUnavailable.
 */
export async function putSchedule(
  engine: ManageEngine,
  ref: SideRef,
  definition: ScheduleDefinition,
  precondition: Precondition = {},
): Promise<{ readonly schedule: Schedule; readonly created: boolean }> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const found = await readSchedule(engine, ref);
    requireState(found, precondition);
    const done =
      found === undefined
        ? await createSchedule(engine, ref, definition)
        : await applyChange(engine, found, redefined(engine, found, definition));
    if (done) return { schedule: await armed(engine, ref), created: found === undefined };
  }
  throw busy();
}

const busy = (): Fault => new Fault('CONFLICT', 'The schedule changed each time.');

function requireState(found: Schedule | undefined, { edition, absent }: Precondition): void {
  if (absent === true && found !== undefined)
    throw new Fault('PRECONDITION_FAILED', 'There is a schedule of that name already.');
  if (edition !== undefined && found?.edition !== edition)
    throw new Fault('PRECONDITION_FAILED', `The schedule stands at edition ${found?.edition ?? 'none'}.`);
}

function createSchedule(engine: ManageEngine, ref: SideRef, definition: ScheduleDefinition): Promise<boolean> {
  return writeNew(engine, ref, { definition, nextAt: upcoming(definition.timing, engine.clock.now(), undefined) });
}

/** An interval that stays the same keeps its anchor, so that an edit moves no time. */
function redefined(engine: ManageEngine, found: Schedule, asked: ScheduleDefinition): Change {
  const definition = { ...asked, timing: keptAnchor(found.definition, asked) };
  const next = upcoming(definition.timing, engine.clock.now(), found.lastAt);
  return { definition, edition: found.edition + 1, nextAt: found.state === 'active' ? next : undefined };
}

function keptAnchor({ timing: before }: ScheduleDefinition, { timing, anchored }: ScheduleDefinition) {
  const kept = !anchored && 'everySeconds' in timing && 'everySeconds' in before;
  return kept && timing.everySeconds === before.everySeconds ? before : timing;
}

/** The schedule as it stands, with a tick on its way if its next time is near. */
async function armed(engine: ManageEngine, ref: SideRef): Promise<Schedule> {
  const schedule = await getSchedule(engine, ref);
  if (schedule.ticks === 0) await sendTick(engine, schedule, engine.clock.now());
  return schedule;
}

/** No run starts by the clock any more; what is under way goes on. Throws Fault NOT_FOUND and CONFLICT. */
export const pauseSchedule = (engine: ManageEngine, ref: SideRef): Promise<Schedule> =>
  setState(engine, ref, 'paused', () => undefined);

/** Goes on with the first time from now on: times of a pause are not made up for. Throws Fault NOT_FOUND and CONFLICT. */
export const resumeSchedule = (engine: ManageEngine, ref: SideRef): Promise<Schedule> =>
  setState(engine, ref, 'active', ({ definition, lastAt }) => upcoming(definition.timing, engine.clock.now(), lastAt));

async function setState(
  engine: ManageEngine,
  ref: SideRef,
  state: Schedule['state'],
  nextOf: (schedule: Schedule) => Change['nextAt'],
): Promise<Schedule> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const found = await getSchedule(engine, ref);
    if (found.state === state) return found;
    const change = { state, edition: found.edition + 1, nextAt: nextOf(found) };
    if (await applyChange(engine, found, change)) return armed(engine, ref);
  }
  throw busy();
}

/** The schedule is gone; what is under way goes on. Throws Fault NOT_FOUND, PRECONDITION_FAILED and CONFLICT. */
export async function removeSchedule(engine: ManageEngine, ref: SideRef, precondition: Precondition = {}) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const found = tries === 0 ? await getSchedule(engine, ref) : await readSchedule(engine, ref);
    if (found === undefined) return;
    requireState(found, precondition);
    const { serial } = found;
    const expiresAt = toEpochSeconds(later(engine.clock.now(), MARK_KEPT));
    const removed = await untilAnswered(engine, PATIENCE, () =>
      engine.store.writeSide(ref, 'remove-schedule', { serial, expiresAt }),
    );
    if (removed.kind === 'applied' || removed.found === undefined || isRemoved(removed.found)) return;
  }
  throw busy();
}

/**
 * Starts a run now, beside those of the clock, also while it is paused; `overlap` counts. Throws Fault NOT_FOUND, CONFLICT (naming the run
 * that has not ended), or why the job cannot be submitted.
 */
export async function runSchedule(
  engine: StartEngine,
  ref: SideRef,
  named?: { readonly id: JobId; readonly requestHash: string },
): Promise<{ readonly row: JobRow; readonly created: boolean }> {
  const repeated = named && (await readRow(engine, { tenant: ref.tenant, workspace: ref.workspace, id: named.id }));
  if (repeated !== undefined) return { row: repeated, created: false };
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const schedule = await getSchedule(engine, ref);
    const occasion = { at: engine.clock.now(), next: schedule.nextAt, by: 'hand', ...named } as const;
    const started = await startRun(engine, schedule, occasion);
    if (started.kind === 'started' || started.kind === 'there')
      return { row: started.row, created: started.kind === 'started' };
    if (started.kind === 'failed') throw started.fault;
    if (started.kind === 'skipped') throw stillActive(started.active);
  }
  throw busy();
}

const stillActive = ({ id }: JobRow): Fault =>
  new Fault('CONFLICT', `The run before, ${id}, has not ended, and the schedule skips while one has not.`, {
    extra: { jobId: id },
  });
