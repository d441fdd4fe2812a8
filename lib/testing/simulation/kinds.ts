// The handlers of a simulated run: they take their time, heed their signal or not, and end in every way that a handler can.
import * as z from 'zod';
import { type DurationMs, millis, seconds } from '../../core/time.ts';
import { cancel, continueFrom, RetryableError, snooze, TerminalError } from '../../job/outcome.ts';
import { createRegistry, defineJob, type JobContext, type Registry } from '../../job/registry.ts';
import { pipeline, type PipelineDefinition } from '../../pipeline/definition.ts';
import { defineStage } from '../../pipeline/stage.ts';
import type { World } from './world.ts';

/** Deferring for ever is not an error of the protocol, so each job does it a few times only. */
const MOST_DEFERRALS = 3;

export interface SimulatedKinds {
  readonly registry: Registry;
  readonly staged: PipelineDefinition;
}

export function simulatedKinds(world: World): SimulatedKinds {
  const deferrals = new Map<string, number>();
  const run = (ctx: JobContext) => behave(world, ctx, deferrals);
  const input = z.strictObject({});
  const simple = defineJob({ kind: 'simple', input, run });
  const state = z.object({ epoch: z.number() });
  const stage = (name: string) => defineStage({ name, output: state, run });
  const staged = pipeline('staged', { input, version: '1' }).stage(stage('first')).stage(stage('second'));
  return { registry: createRegistry([simple, staged]), staged };
}

async function behave(world: World, ctx: JobContext, deferrals: Map<string, number>) {
  const heeds = world.chance.next() < 0.7;
  const signal = heeds ? ctx.signal : undefined;
  await ctx.clock.sleep(duration(world), signal);
  if (heeds && ctx.signal.aborted) throw new Error('aborted');
  const deferred = deferrals.get(ctx.ref.id) ?? 0;
  const drawn = world.chance.next();
  if (drawn < 0.2 && deferred < MOST_DEFERRALS) {
    deferrals.set(ctx.ref.id, deferred + 1);
    return drawn < 0.1 ? snooze(seconds(world.chance.next() * 40)) : continueFrom({ at: deferred }, seconds(1));
  }
  return drawn < 0.22 ? cancel('not wanted') : finish(world, ctx, drawn);
}

function finish({ oracle, chance }: World, { ref, epoch }: JobContext, drawn: number): { epoch: number } {
  const fails = drawn < 0.42;
  oracle.ended(ref.id, epoch, fails ? 'throw' : 'value');
  if (!fails) return { epoch };
  if (drawn < 0.24) throw new TerminalError('never');
  if (drawn < 0.3) throw new RetryableError({ message: 'later', retryAfter: seconds(chance.next() * 10) });
  throw new Error('this time');
}

/** Mostly short, sometimes longer than a lease. */
const duration = ({ chance }: World): DurationMs => millis(chance.next() ** 3 * 100_000);
