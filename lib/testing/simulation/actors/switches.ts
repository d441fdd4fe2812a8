// What is switched beside the jobs while they run: a flow that is paused, stepped, disabled and let go; a guard that moves on; a schedule
// that is made, and removed before the run ends.
import { epochMs } from '../../../core/time.ts';
import { disableFlow, enableFlow, flowIn, flowRef, pauseFlow, resumeFlow, stepFlow } from '../../../job/gates/flow.ts';
import { setGuard } from '../../../job/gates/guard.ts';
import {
  pauseSchedule,
  putSchedule,
  removeSchedule,
  resumeSchedule,
  runSchedule,
} from '../../../job/schedule/manage.ts';
import { catchUps, isRemoved, overlaps, type ScheduleDefinition, scheduleRef } from '../../../job/schedule/schedule.ts';
import { unlessRefused, untilSo } from '../acts/operator.ts';
import { FLOW, GUARD, scope } from '../names.ts';
import type { World } from '../world.ts';
import type { Cast } from './cast.ts';

const SCHEDULE = 'schedule';

/** Begins each with some probability; the run does not end before they have. */
export function runSwitches(world: World, cast: Cast): void {
  const { draws } = world;
  const lit = world.faults.spotlight ?? '';
  if (draws.draw('run', 'flow') > 0.6 || lit.endsWith('-step')) void acting(world, () => switchFlow(world, cast));
  if (draws.draw('run', 'guard') > 0.8 || lit === 'side/set-guard' || lit === 'drop')
    void acting(world, () => moveGuard(world, cast));
  const schedules = draws.draw('run', 'schedule') > 0.85 || lit.endsWith('-schedule');
  if (schedules && world.options.order === undefined) void acting(world, () => keepSchedule(world, cast));
}

async function acting(world: World, work: () => Promise<void>): Promise<void> {
  world.acting += 1;
  await work();
  world.acting -= 1;
}

const wait = (world: World, most: number) => world.loop.pause(undefined, world.draw('switch') * most);

async function switchFlow(world: World, cast: Cast): Promise<void> {
  const isActive = async () => flowIn(await world.store.getSide(flowRef(scope, FLOW))).state === 'active';
  for (let left = 1 + Math.floor(world.draw('switch') * 2); left > 0; left--) {
    await wait(world, 60_000);
    const disables = world.draw('switch') > 0.8;
    const shut = disables ? disableFlow : pauseFlow;
    await cast.inProcess('operator', (engine) => unlessRefused(shut(engine, scope, FLOW)));
    await wait(world, 90_000);
    for (let steps = Math.floor(world.draw('switch') * 3); steps > 0 && !disables; steps--)
      await cast.inProcess('operator', (engine) => unlessRefused(stepFlow(engine, scope, FLOW)));
    await wait(world, 90_000);
    const open = disables ? enableFlow : resumeFlow;
    await untilSo(world, cast, (engine) => open(engine, scope, FLOW), isActive);
  }
}

async function moveGuard(world: World, cast: Cast): Promise<void> {
  for (const value of ['1', '2']) {
    await wait(world, 60_000);
    await cast.inProcess('operator', (engine) => setGuard(engine, scope, GUARD, value));
  }
}

async function keepSchedule(world: World, cast: Cast): Promise<void> {
  const ref = scheduleRef(scope, SCHEDULE);
  const definition = definitionOf(world);
  const isThere = async () => !isRemoved((await world.store.getSide(ref)) ?? { removed: true });
  await untilSo(world, cast, (engine) => putSchedule(engine, ref, definition), isThere);
  await wait(world, 150_000);
  await cast.inProcess('operator', (engine) => unlessRefused(pauseSchedule(engine, ref)));
  await wait(world, 60_000);
  await cast.inProcess('operator', (engine) => unlessRefused(resumeSchedule(engine, ref)));
  await cast.inProcess('operator', (engine) => unlessRefused(runSchedule(engine, ref)));
  await wait(world, 150_000);
  await untilSo(
    world,
    cast,
    (engine) => removeSchedule(engine, ref),
    async () => !(await isThere()),
  );
}

function definitionOf(world: World): ScheduleDefinition {
  const pick = <T>(several: readonly T[]): T => several[Math.floor(world.draw('switch') * several.length)] as T;
  return {
    kind: 'simple',
    input: '{}',
    timing: { everySeconds: 60 + Math.floor(world.draw('switch') * 60), anchor: epochMs(0) },
    anchored: false,
    overlap: pick(overlaps),
    catchUp: pick(catchUps),
    catchUpLimit: 3,
  };
}
