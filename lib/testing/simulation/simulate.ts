// One simulated run: a few jobs, two workers, two reapers, pipelines and operators under faults, on virtual time. The same seed and
// options give the same run; a violation comes with the trace of the run that broke the law.
import { derivedId, type JobRef, type TenantId, type WorkspaceId } from '../../core/ids.ts';
import { hours, later, minutes, seconds } from '../../core/time.ts';
import { StoreUnavailable } from '../../job/ports.ts';
import { isTerminal } from '../../job/status.ts';
import { submitJob } from '../../job/submit.ts';
import { type Cast, createCast, disturb, runReaper, runWorkers } from './actors.ts';
import type { Violation } from './oracle.ts';
import { createWorld, newActor, type SimulationOptions, type World } from './world.ts';

export type { SimulationOptions } from './world.ts';

export interface SimulationResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  /** A line for each applied write and death, oldest first; empty unless `traced`. */
  readonly trace: readonly string[];
  /** Applied writes by rule. */
  readonly rules: Readonly<Record<string, number>>;
}

const JOBS = 3;
const WORKERS = 2;
const REAPERS = 2;
/** A job that has not ended by then is lost. */
const LONGEST_RUN = hours(8);

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const world = createWorld(options);
  const cast = createCast(world);
  const refs = Array.from({ length: JOBS }, (_, index) => refOfJob(world, index));
  for (let worker = 0; worker < WORKERS; worker++) void runWorkers(world, cast);
  for (let reaper = 0; reaper < REAPERS; reaper++) void runReaper(world, cast, refs);
  for (const ref of refs) void submitAndDisturb(world, cast, ref);
  const rows = () => refs.map((ref) => world.store.row(ref));
  const over = () => rows().every((row) => row !== undefined && isTerminal(row.status));
  const quiet = () => world.loop.now() > world.network.quietAt() && over();
  await world.loop.run(world.loop.now() + LONGEST_RUN, () => world.oracle.violation() !== undefined || quiet());
  if (!over()) world.oracle.break('a job did not end');
  return { seed: options.seed, violation: world.oracle.violation(), trace: world.trace, rules: countRules(world) };
}

const refOfJob = ({ seed }: World, index: number): JobRef => ({
  tenant: 'acme' as unknown as TenantId,
  workspace: 'main' as unknown as WorkspaceId,
  id: derivedId('job', String(seed), String(index)),
});

async function submitAndDisturb(world: World, cast: Cast, ref: JobRef): Promise<void> {
  const { chance, loop, faults, oracle } = world;
  const engine = cast.engineFor(newActor(world, 'client'));
  await loop.pause(undefined, chance.next() * 60_000);
  const delays = [undefined, undefined, undefined, seconds(chance.next() * 90), minutes(25)];
  const delay = delays[Math.floor(chance.next() * delays.length)];
  const now = engine.clock.now();
  const request = {
    scope: ref,
    id: ref.id,
    kind: chance.next() < 0.7 ? 'simple' : 'staged',
    input: {},
    correlationId: 'simulated',
    notBefore: delay === undefined ? undefined : later(now, delay),
    startBy: chance.next() < 0.1 ? later(now, minutes(3)) : undefined,
  };
  const submit = async (): Promise<boolean> => {
    try {
      return (await submitJob(engine, request)).created;
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) throw thrown;
      return submit();
    }
  };
  if (!(await submit()) && faults.transparent) oracle.break('a submit that made its job says that it did not');
  void disturb(world, cast, ref).catch(() => undefined);
}

function countRules({ store }: World): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { write } of store.changes) counts[write.name] = (counts[write.name] ?? 0) + 1;
  return counts;
}
