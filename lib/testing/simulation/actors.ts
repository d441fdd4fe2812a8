// Who acts in a simulated run: workers, executions of pipelines, reapers, and whoever cancels.
import type { JobRef } from '../../core/ids.ts';
import { cancelJob } from '../../job/cancel.ts';
import type { Engine } from '../../job/engine.ts';
import { createWorker } from '../../job/executor.ts';
import type { Doorbell, Executions, ProbeAnswer } from '../../job/ports.ts';
import { sweep } from '../../job/reaper.ts';
import { writeRule } from '../../job/write.ts';
import { settleExecution } from '../../pipeline/settle-execution.ts';
import { runStep } from '../../pipeline/stage-runner.ts';
import { memoryShardOf } from '../memory-store.ts';
import { type SimulatedKinds, simulatedKinds } from './kinds.ts';
import type { Actor } from './loop.ts';
import { engineOf, newActor, type World } from './world.ts';

/** When the platform knows of a process that died, ms. */
const NOTICED_AFTER = 1000;
/** How long a machine may wait for its next invocation while it is throttled, ms. */
const LONGEST_WAIT = 600_000;
const VISIBILITY = 60_000;
/** The settle state of the machine is safe to try again. */
const SETTLE_TRIES = 5;
const SWEEP_EVERY = 60_000;

export interface Cast {
  readonly engineFor: (actor: Actor) => Engine;
}

export function createCast(world: World): Cast {
  const kinds = simulatedKinds(world);
  const states = new Map<string, ProbeAnswer>();
  const engineFor = (actor: Actor): Engine =>
    engineOf(world, actor, kinds.registry, executionsOf(world, actor, states, execute));
  const execute = (bell: Doorbell) => runExecution(world, kinds, engineFor, bell);
  return { engineFor };
}

/** Runs `work` in a process of its own; when that dies, or the work throws, `then` is told. */
function inProcess(
  world: World,
  name: string,
  cast: Cast['engineFor'],
  work: (engine: Engine) => Promise<unknown>,
): Promise<'done' | 'failed'> {
  const actor = newActor(world, name);
  return new Promise((resolve) => {
    const end = (how: 'done' | 'failed') => {
      actor.alive = false;
      resolve(how);
    };
    actor.died = () => world.loop.after(NOTICED_AFTER, undefined, () => resolve('failed'));
    work(cast(actor)).then(
      () => end('done'),
      (thrown: unknown) => {
        world.note(actor, `fails: ${String(thrown)}`);
        end('failed');
      },
    );
  });
}

/** One worker slot: a process hears one doorbell after another; a new one takes its place when it dies. */
export async function runWorkers(world: World, { engineFor }: Cast): Promise<never> {
  for (;;) {
    const bell = await world.queue.receive();
    const heard = await inProcess(world, 'worker', engineFor, (engine) => createWorker(engine).hear(bell));
    if (heard === 'failed') world.loop.after(VISIBILITY, undefined, () => world.queue.deliver(bell));
  }
}

export async function runReaper(world: World, { engineFor }: Cast, refs: readonly JobRef[]): Promise<never> {
  const engine = engineFor(newActor(world, 'reaper'));
  const shards = [...new Set(refs.map(memoryShardOf))];
  await world.loop.pause(undefined, world.chance.next() * SWEEP_EVERY);
  for (;;) {
    await sweep(engine, { shards });
    await world.loop.pause(undefined, SWEEP_EVERY);
  }
}

/** Cancels the job, or reclaims it, at a time of chance's choosing. */
export async function disturb(world: World, { engineFor }: Cast, ref: JobRef): Promise<void> {
  const { chance, faults, loop } = world;
  const engine = engineFor(newActor(world, 'operator'));
  if (chance.next() < faults.reclaim) {
    await loop.pause(undefined, chance.next() * 120_000);
    const row = await world.store.get(ref);
    const now = engine.clock.now();
    if (row?.status === 'running') await writeRule(engine, ref, 'reclaim', { version: row.version, now });
  }
  if (chance.next() >= faults.cancel) return;
  await loop.pause(undefined, chance.next() * 200_000);
  await cancelJob(engine, ref, 'asked');
}

function executionsOf(
  { network }: World,
  actor: Actor,
  states: Map<string, ProbeAnswer>,
  execute: (bell: Doorbell) => Promise<void>,
): Executions {
  const nameOf = (bell: Doorbell) => `${bell.ref.id}-${bell.epoch}`;
  const startOnce = async (bell: Doorbell) => {
    if (states.has(nameOf(bell))) return;
    states.set(nameOf(bell), 'running');
    void execute(bell).then(() => states.set(nameOf(bell), 'gone'));
  };
  return {
    start: (bell) => network.call(actor, () => startOnce(bell)),
    probe: (bell) => network.call(actor, async () => states.get(nameOf(bell)) ?? 'gone'),
  };
}

/** What the state machine does: a process a step, and whatever fails is settled from the row. */
async function runExecution(
  world: World,
  { staged }: SimulatedKinds,
  engineFor: Cast['engineFor'],
  bell: Doorbell,
): Promise<void> {
  for (const { name } of staged.steps) {
    await world.loop.pause(undefined, world.chance.next() ** 8 * LONGEST_WAIT);
    const step = await inProcess(world, 'stage', engineFor, (engine) => runStep(engine, staged, { bell, step: name }));
    if (step === 'done') continue;
    let settle: 'done' | 'failed' = 'failed';
    for (let tries = 0; settle === 'failed' && tries < SETTLE_TRIES; tries++)
      settle = await inProcess(world, 'settle', engineFor, (engine) => settleExecution(engine, { bell }));
    return;
  }
}
