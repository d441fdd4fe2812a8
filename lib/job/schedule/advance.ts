// Bringing a schedule up to date: what has come is started, skipped or passed over, one change a time, until its next time lies ahead;
// where that is near, a tick is sent for it. Any number may do this at once: each change names the serial it was decided on.
import type { Scope } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { readWorkspaceEnd } from '../dead/workspaces.ts';
import type { SideRef } from '../side/side.ts';
import { type Plan, planOf } from './plan.ts';
import { applyChange, readSchedule, type Schedule, scheduleRef, withRun } from './schedule.ts';
import { noteFailed, noteSkipped, type Occasion, startedChange, type StartEngine, startRun } from './start.ts';
import { sendTick } from './tick.ts';

/** Changes at once: a catch-up of a hundred runs, and as many that others made first. */
const MOST_CHANGES = 250;

/** How many runs were started: none in a workspace that is deleted. Throws StoreUnavailable; what is left is done by the next tick. */
export async function advance(engine: StartEngine, ref: SideRef): Promise<number> {
  if ((await readWorkspaceEnd(engine.store, ref)) !== undefined) return 0;
  let started = 0;
  for (let change = 0; change < MOST_CHANGES; change++) {
    const schedule = await readSchedule(engine, ref);
    const now = engine.clock.now();
    if (schedule?.nextAt === undefined) return started;
    if (schedule.nextAt > now) return tickAhead(engine, schedule, now, started);
    started += await take(engine, schedule, planOf(schedule.definition, schedule.nextAt, now));
  }
  return started;
}

/** The same by the name of the schedule. */
export const advanceNamed = (engine: StartEngine, scope: Scope, name: string): Promise<number> =>
  advance(engine, scheduleRef(scope, name));

/** The first tick for a time; the sweep sends others where that one is lost. */
async function tickAhead<T>(engine: StartEngine, schedule: Schedule, now: EpochMs, answer: T): Promise<T> {
  if (schedule.ticks === 0) await sendTick(engine, schedule, now);
  return answer;
}

/** How many runs it started: one, or none. */
async function take(engine: StartEngine, schedule: Schedule, plan: Plan): Promise<number> {
  if (plan.kind === 'run') return run(engine, schedule, { at: plan.at, next: plan.next, by: 'time' });
  const { from, until, count, next } = plan;
  const missed = { at: from, until, count, by: 'time', outcome: 'missed' } as const;
  await applyChange(engine, schedule, { lastAt: until, runs: withRun(schedule.runs, missed), nextAt: next });
  return 0;
}

async function run(engine: StartEngine, schedule: Schedule, occasion: Occasion): Promise<number> {
  const started = await startRun(engine, schedule, occasion);
  if (started.kind === 'skipped') await noteSkipped(engine, schedule, occasion, started.active);
  if (started.kind === 'failed') await noteFailed(engine, schedule, occasion, started.fault);
  if (started.kind === 'there') await applyChange(engine, schedule, startedChange(schedule, occasion, started.row.id));
  return started.kind === 'started' ? 1 : 0;
}
