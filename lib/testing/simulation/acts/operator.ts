// What operators and callers do to single jobs.
import { Fault } from '../../../core/fault.ts';
import type { JobRef } from '../../../core/ids.ts';
import { cancelJob } from '../../../job/run/cancel.ts';
import type { Engine } from '../../../job/engine.ts';
import type { JobRow } from '../../../job/row.ts';
import { reclaimJob } from '../../../job/dead/reclaim.ts';
import { discardJob, redriveJob } from '../../../job/dead/redrive.ts';
import { sendSignal } from '../../../job/waits/signal.ts';
import { entombJob } from '../../../job/dead/vanished.ts';
import { holdRun, resumeRun, stepRun } from '../../../pipeline/hold.ts';
import { definitionOf, restartPlace } from '../../../pipeline/restart.ts';
import type { Cast } from '../actors/cast.ts';
import { submitAgain } from '../actors/client.ts';
import { SIGNAL } from '../kinds.ts';
import { LATEST_COPY } from '../network.ts';
import { judgeRestart } from '../stage-laws.ts';
import type { World } from '../world.ts';
import type { Act } from './act.ts';

type Verb = (engine: Engine, ref: JobRef, place: number) => Promise<unknown>;

/** In a process of its own; that the job is not in the right state is an answer too. */
const asOperator =
  (verb: Verb) =>
  (_world: World, cast: Cast, ref: JobRef, place: number): Promise<unknown> =>
    cast.inProcess('operator', (engine) => unlessRefused(verb(engine, ref, place)));

export const unlessRefused = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((thrown: unknown) => {
    if (!(thrown instanceof Fault)) throw thrown;
  });

const one = (name: string, usually: number, within: number, verb: Verb): Act => ({
  name,
  usually,
  within,
  perform: asOperator(verb),
});

/** Holds a pipeline, lets it take a step, and lets it go in the end, however often it has to ask. */
const hold: Act = {
  name: 'hold',
  usually: 0.15,
  within: 60_000,
  perform: async (world, cast, ref, place) => {
    await cast.inProcess('operator', (engine) => unlessRefused(holdRun(engine, ref)));
    await world.loop.pause(undefined, world.draws.draw(`job-${place}`, 'held') * 200_000);
    if (world.draws.draw(`job-${place}`, 'steps') > 0.5)
      await cast.inProcess('operator', (engine) => unlessRefused(stepRun(engine, ref)));
    await world.loop.pause(undefined, world.draws.draw(`job-${place}`, 'held') * 100_000);
    const letGo = async () => world.store.row(ref)?.hold === undefined;
    await untilSo(world, cast, (engine) => resumeRun(engine, ref), letGo);
  },
};

/**
 * Again, each time in another process, until it is `so`: others may be in the way for long. And still so when no copy of what was asked
 * before can be under way any more: one that arrives late undoes it, and an operator has to ask again.
 */
export async function untilSo(
  world: World,
  cast: Cast,
  work: (engine: Engine) => Promise<unknown>,
  so: () => Promise<boolean>,
): Promise<void> {
  do {
    while (!(await so())) {
      await cast.inProcess('operator', (engine) => unlessRefused(work(engine)));
      await world.loop.pause(undefined, 2000);
    }
    await world.loop.pause(undefined, LATEST_COPY);
  } while (!(await so()));
}

/** Looks a few times whether a pipeline has failed, and has it begin anew before one of its stages. */
const restart: Act = {
  name: 'restart',
  usually: 0.3,
  within: 200_000,
  perform: async (world, cast, ref, place) => {
    const drawn = world.draws.draw(`job-${place}`, 'from stage');
    for (let looks = 4, mayFail = true; looks > 0 && mayFail; looks--) {
      await cast.inProcess('operator', (engine) => unlessRefused(restartAt(world, engine, ref, drawn)));
      const row = world.store.row(ref);
      mayFail = row?.kind === 'staged' && row.status !== 'succeeded' && row.redrives === undefined;
      if (mayFail) await world.loop.pause(undefined, 100_000);
    }
  },
};

/** `drawn` says which of the stages. */
async function restartAt(world: World, engine: Engine, ref: JobRef, drawn: number): Promise<void> {
  const row = await engine.store.get(ref);
  const definition = definitionOf(engine.registry.find(row?.kind ?? ''));
  if (definition === undefined) return;
  const names = definition.stages.map(({ name }) => name);
  const at = Math.floor(drawn * names.length);
  const options = { place: (found: JobRow) => restartPlace(engine, definition, found, names[at] ?? '') };
  judgeRestart(world, await redriveJob(engine, ref, options), names[at - 1]);
}

const resubmit: Act = {
  name: 'resubmit',
  usually: 0.15,
  within: 400_000,
  perform: (world, cast, ref, place) => submitAgain(world, cast, ref, place),
};

export const operatorActs: readonly Act[] = [
  one('cancel', 0.2, 200_000, (engine, ref) => cancelJob(engine, ref, 'asked')),
  one('reclaim', 0.15, 120_000, (engine, ref) => reclaimJob(engine, ref)),
  one('entomb', 0.06, 150_000, (engine, ref) => entombJob(engine, ref, engine.clock.now())),
  one('redrive', 0.3, 900_000, (engine, ref) => redriveJob(engine, ref)),
  one('discard', 0.15, 900_000, (engine, ref) => discardJob(engine, ref)),
  one('signal', 0.4, 300_000, (engine, ref) => sendSignal(engine, ref, SIGNAL, { yes: true })),
  hold,
  restart,
  resubmit,
  /** Long after it may have been forgotten. */
  { ...resubmit, name: 'resubmit late', usually: 0.04, within: 6_000_000 },
];
