// One simulated run: jobs, workers, reapers, a relay, pipelines, deploys and operators under faults, on virtual time. The same seed and
// options give the same run; a violation comes with the trace of the run that broke the law.
import type { JobRef } from '../../core/ids.ts';
import { hours } from '../../core/time.ts';
import { isTerminal } from '../../job/status.ts';
import type { Act } from './acts/act.ts';
import { operatorActs } from './acts/operator.ts';
import { runDeploys, runReaper, runRelay } from './actors/background.ts';
import { type Cast, createCast } from './actors/cast.ts';
import { refOfJob, submitOne } from './actors/client.ts';
import { runSwitches } from './actors/switches.ts';
import { executeOn, runWorkers } from './actors/workers.ts';
import type { Coverage } from './coverage.ts';
import { createWorld } from './create-world.ts';
import type { Drawn } from './draws.ts';
import { judgeEnd } from './end.ts';
import { simulatedReleases } from './kinds.ts';
import type { Violation } from './oracle.ts';
import { isLitAct } from './spotlight.ts';
import type { SimulationOptions, World } from './world.ts';

export type { SimulationOptions } from './world.ts';

export interface SimulationResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  /** A line for each applied write, fault and death, oldest first; empty unless `traced`. */
  readonly trace: readonly string[];
  /** Applied writes by rule. */
  readonly rules: Readonly<Record<string, number>>;
  readonly coverage: Coverage;
  /** Draws of chance, calls over the network, and faults among all that could go wrong. */
  readonly choices: number;
  readonly calls: number;
  readonly faults: number;
  /** Jobs that were begun with. */
  readonly jobs: number;
  readonly drawn: readonly Drawn[];
}

/** What every run has at least. */
export const schedule = { jobs: 3, workers: 2, reapers: 2, choices: 200, faultsPerCall: 0.05 } as const;
/** A run that has had fewer choices or faults than it must goes on with another job, at most this many. */
const MOST_JOBS = 24;
/** A job that has not ended by then is lost. */
const LONGEST_RUN = hours(10);
const SUBMITS_WITHIN = 60_000;

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const world = createWorld(options);
  const releases = (options.releases ?? simulatedReleases)(world);
  const cast = createCast(world, releases, executeOn(world));
  runRelay(world, cast);
  for (let worker = 0; worker < schedule.workers; worker++) void runWorkers(world, cast);
  for (let reaper = 0; reaper < schedule.reapers; reaper++) void runReaper(world, cast);
  void runDeploys(world, cast);
  runSwitches(world, cast);
  const acts = actsOf(world);
  for (let job = 0; job < schedule.jobs; job++) void live(world, cast, acts);
  await world.loop.run(world.loop.now() + LONGEST_RUN, () => isOver(world, () => void live(world, cast, acts)));
  judgeEnd(world);
  return resultOf(world);
}

/** How probable each act is in this run. */
function actsOf(world: World): readonly (readonly [Act, number])[] {
  return operatorActs.map((act) => {
    const drawn = world.draws.draw('run', act.name);
    if (isLitAct(world.faults, act.name)) return [act, 0.9];
    return [act, drawn < 0.4 ? 0 : drawn < 0.85 ? act.usually : Math.min(1, act.usually * 3)];
  });
}

/** One job: submitted, and whatever is done to it. */
async function live(world: World, cast: Cast, acts: readonly (readonly [Act, number])[]): Promise<void> {
  const place = world.places++;
  if (world.options.jobs?.(place) === false) return;
  const asked = refOfJob(world, place);
  const draw = (purpose: string) => world.draws.draw(`job-${place}`, purpose);
  world.acting += 1;
  await world.loop.pause(undefined, draw('submit') * SUBMITS_WITHIN);
  const ref = await submitOne(world, cast, asked, place);
  const chosen = acts.filter(([{ name }, probability]) => draw(name) > 1 - probability);
  if (ref !== undefined) await Promise.all(chosen.map(([act]) => perform(world, cast, act, ref, place)));
  world.acting -= 1;
}

async function perform(world: World, cast: Cast, act: Act, ref: JobRef, place: number): Promise<void> {
  await world.loop.pause(undefined, world.draws.draw(`job-${place}`, `${act.name} at`) * act.within);
  await act.perform(world, cast, ref, place);
}

/** A run is over when every job has ended, nothing is under way, and it has had its choices and faults. */
function isOver(world: World, goOn: () => void): boolean {
  if (world.oracle.violation() !== undefined) return true;
  if (world.acting > 0 || !isQuiet(world)) return false;
  if (world.options.jobs !== undefined || world.places >= MOST_JOBS || hasHadEnough(world)) return true;
  goOn();
  return false;
}

const isQuiet = (world: World): boolean =>
  world.loop.now() > world.network.quietAt() &&
  world.stream.isDrained() &&
  world.refs.every(
    (ref) => world.forgotten.has(String(ref.id)) || isTerminal(world.store.row(ref)?.status ?? 'queued'),
  );

const hasHadEnough = (world: World): boolean =>
  world.draws.count() >= schedule.choices && world.faultCount() >= schedule.faultsPerCall * world.network.calls();

function resultOf(world: World): SimulationResult {
  const rules: Record<string, number> = {};
  for (const { write } of world.store.changes) rules[write.name] = (rules[write.name] ?? 0) + 1;
  return {
    seed: world.options.seed,
    violation: world.oracle.violation(),
    trace: world.trace,
    rules,
    coverage: world.coverage,
    choices: world.draws.count(),
    calls: world.network.calls(),
    faults: world.faultCount(),
    jobs: world.places,
    drawn: world.draws.recorded,
  };
}
