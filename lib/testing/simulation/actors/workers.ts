// Workers hear doorbells, each in a process of its own, and executions carry pipelines from step to step.
import { createWorker } from '../../../job/run/worker.ts';
import { settleExecution } from '../../../pipeline/settle-execution.ts';
import { runStep } from '../../../pipeline/stage-runner.ts';
import { judgeStopped } from '../bounds.ts';
import type { World } from '../world.ts';
import type { Cast, Ended, Execute } from './cast.ts';

/** When the queue gives a message again whose invocation failed, ms. */
const VISIBILITY = 60_000;
/** How long a machine may wait for its next invocation while it is throttled, ms. */
const LONGEST_WAIT = 600_000;
/** Above which an execution is stopped before a step. */
const STOPPED = 0.96;
const STOPPED_OFTEN = 0.7;
/** The settle state of the machine is safe to try again. */
const SETTLE_TRIES = 5;

/** One worker slot: a process hears one doorbell after another; a new one takes its place when it dies. */
export async function runWorkers(world: World, cast: Cast): Promise<never> {
  for (;;) {
    const message = await world.queue.receive();
    const heard = await cast.inProcess('worker', (engine, actor) => {
      actor.heard = message.how;
      return createWorker(engine).hear(message.bell);
    });
    if (heard === 'failed') world.loop.after(VISIBILITY, undefined, () => world.queue.deliver(message));
  }
}

/**
 * What the state machine does: a process a step, and whatever fails is settled from the row. It calls the release that it was started
 * with to its end.
 */
export const executeOn =
  (world: World): Execute =>
  async (cast, bell, pipeline, startedBy) => {
    const definition = cast.releaseOf(startedBy).pipelines.get(pipeline);
    if (definition === undefined) return;
    for (const { name } of definition.steps) {
      await world.loop.pause(undefined, world.draw('machine') ** 8 * LONGEST_WAIT);
      // Stopped by somebody, and its status event lost: only a probe tells.
      if (world.draw('stopped') > (world.faults.spotlight === 'reap-execution' ? STOPPED_OFTEN : STOPPED)) {
        world.note(undefined, `the execution of ${String(bell.ref.id).slice(-3)} is stopped`);
        return judgeStopped(world, bell.ref, bell.epoch);
      }
      const work = cast.inProcess('stage', (engine) => runStep(engine, definition, { bell, step: name }), startedBy);
      if ((await work) === 'failed') return settle(cast, bell, startedBy);
    }
  };

async function settle(cast: Cast, bell: Parameters<Execute>[1], startedBy: Parameters<Execute>[3]): Promise<void> {
  let ended: Ended = 'failed';
  for (let tries = 0; ended === 'failed' && tries < SETTLE_TRIES; tries++)
    ended = await cast.inProcess('settle', (engine) => settleExecution(engine, { bell }), startedBy);
}
