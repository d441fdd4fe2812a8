// A user's kinds in the simulation. The oracle judges results and attempts by how each handler ended, so each handler is watched.
import { answerOf } from '../job/run/outcome.ts';
import { followedOf } from '../job/waits/owed.ts';
import type { JobContext, JobKind } from '../job/registry.ts';
import type { PipelineDefinition } from '../pipeline/definition.ts';
import type { OwnKind } from '../pipeline/own-kinds.ts';
import type { Stage } from '../pipeline/stage.ts';
import { type Explored, explore } from './simulation/explore.ts';
import { releaseOf } from './simulation/kinds.ts';
import type { Oracle } from './simulation/oracle.ts';
import type { SimulationOptions } from './simulation/simulate.ts';

export interface OwnSimulation {
  /** What is submitted, in turn. */
  readonly orders: readonly [OwnOrder, ...OwnOrder[]];
  /** The first seed; default 1. */
  readonly from?: number;
  /** How many seeds; a run takes some milliseconds. */
  readonly count: number;
  /** A law of your own: told of every job when a run is over; a sentence breaks the run. */
  readonly check?: SimulationOptions['check'];
}

export interface OwnOrder {
  readonly kind: string;
  readonly input: unknown;
}

/** Runs kinds under lost and late messages, dying processes and wrong clocks, a seed a run, up to the first that breaks a law: see `broken`. */
export const simulateKinds = (
  kinds: readonly OwnKind[],
  { orders, from = 1, count, check }: OwnSimulation,
): Promise<Explored> => explore({ from, count, untilBroken: true }, { ...optionsFor(kinds, orders), check });

/** A result that a job follows is kept without it. */
const resultOf = <T>(value: T): T => followedOf(value).result as T;

/** The same for `simulate` (with a seed and `traced`) and `shrink`. */
export const optionsFor = (
  kinds: readonly OwnKind[],
  orders: OwnSimulation['orders'],
): Omit<SimulationOptions, 'seed'> => ({
  releases: ({ oracle }) => [releaseOf(kinds.map((kind) => watchedKind(oracle, kind)))],
  order: (_world, place) => orders[place % orders.length] ?? orders[0],
});

function watchedKind(oracle: Oracle, kind: OwnKind): OwnKind {
  if (kind.type === 'pipeline') return watchedPipeline(oracle, kind);
  const run: JobKind['run'] = (ctx, input) => watched(oracle, ctx, () => kind.run(ctx, input));
  return { ...kind, run };
}

/** What a pipeline comes to is what its last stage's schema makes of the answer. */
function watchedPipeline(oracle: Oracle, pipeline: PipelineDefinition): PipelineDefinition {
  const watchedStage = (stage: Stage): Stage => {
    const kept = (value: unknown): unknown => stage.output.safeParse(value).data ?? value;
    return { ...stage, run: (ctx, input) => watched(oracle, ctx, () => stage.run(ctx, input), kept) };
  };
  const stages = new Map(pipeline.stages.map((stage) => [stage, watchedStage(stage)]));
  const replaced = (given: readonly Stage[]) => given.map((stage) => stages.get(stage) ?? stage);
  const steps = pipeline.steps.map((step) => ({ ...step, stages: replaced(step.stages) }));
  return { ...pipeline, steps, stages: replaced(pipeline.stages) };
}

async function watched<T>(
  oracle: Oracle,
  { ref, epoch, signal }: JobContext,
  run: () => Promise<T>,
  kept: (value: T) => unknown = (value) => value,
): Promise<T> {
  try {
    const value = await run();
    // What is returned after an abort does not count, and costs an attempt as a throw would.
    if (signal.aborted) oracle.ended(ref.id, epoch, 'throw');
    if (answerOf(value) === undefined)
      oracle.ended(ref.id, epoch, { value: JSON.stringify(kept(resultOf(value)) ?? null) });
    return value;
  } catch (thrown) {
    oracle.ended(ref.id, epoch, 'throw');
    throw thrown;
  }
}
