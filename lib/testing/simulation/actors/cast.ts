// Processes: each runs one piece of work with an engine of its own, and whoever waits for it is told when it dies.
import type { Engine } from '../../../job/engine.ts';
import type { Doorbell, Executions, ProbeAnswer } from '../../../job/ports.ts';
import type { Actor, Role } from '../actor.ts';
import { engineOf } from '../engine.ts';
import type { Release } from '../release.ts';
import type { World } from '../world.ts';

/** When the platform knows of a process that died, ms. */
const NOTICED_AFTER = 1000;

export type Ended = 'done' | 'failed';

export interface Cast {
  readonly releases: readonly Release[];
  /** The release that a process runs. */
  releaseOf(actor: Actor): Release;
  /** Runs `work` in a process of its own. `failed` when that died, or the work threw. */
  inProcess(role: Role, work: (engine: Engine, actor: Actor) => Promise<unknown>, like?: Actor): Promise<Ended>;
}

/** What carries the pipelines of a run; `execute` runs one execution to its end. */
export type Execute = (cast: Cast, bell: Doorbell, pipeline: string, startedBy: Actor) => Promise<void>;

export function createCast(world: World, releases: readonly Release[], execute: Execute): Cast {
  const states = new Map<string, ProbeAnswer>();
  const latest = releases.at(0) as Release;
  const cast: Cast = {
    releases,
    releaseOf: ({ release }) => releases[release] ?? latest,
    inProcess: (role, work, like) => {
      const actor = { ...world.newActor(role), ...(like === undefined ? {} : { release: like.release }) };
      const executions = executionsOf(world, actor, states, (bell, name) => execute(cast, bell, name, actor));
      return runIn(world, actor, work(engineOf(world, actor, cast.releaseOf(actor), executions), actor));
    },
  };
  return cast;
}

function runIn(world: World, actor: Actor, working: Promise<unknown>): Promise<Ended> {
  return new Promise((resolve) => {
    const end = (how: Ended) => {
      actor.alive = false;
      resolve(how);
    };
    actor.died = () => world.loop.after(NOTICED_AFTER, undefined, () => resolve('failed'));
    working.then(
      () => end('done'),
      (thrown: unknown) => {
        world.note(actor, `fails: ${String(thrown)}`);
        end('failed');
      },
    );
  });
}

function executionsOf(
  { network }: World,
  actor: Actor,
  states: Map<string, ProbeAnswer>,
  execute: (bell: Doorbell, pipeline: string) => Promise<void>,
): Executions {
  const nameOf = (bell: Doorbell) => `${bell.ref.id}-${bell.epoch}`;
  const startOnce = async (bell: Doorbell, pipeline: string) => {
    if (states.has(nameOf(bell))) return;
    states.set(nameOf(bell), 'running');
    void execute(bell, pipeline).then(() => states.set(nameOf(bell), 'gone'));
  };
  return {
    start: (bell, pipeline) => network.call(actor, { what: 'start' }, () => startOnce(bell, pipeline)),
    probe: (bell) => network.call(actor, { what: 'probe' }, async () => states.get(nameOf(bell)) ?? 'gone'),
  };
}
