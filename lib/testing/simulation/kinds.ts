// The handlers of a simulated run: they take their time, heed their signal or not, wait, have children, and end in every way that a
// handler can.
import * as z from 'zod';
import { type DatasetId, derivedId, type SnapshotId } from '../../core/ids.ts';
import { type DurationMs, millis, minutes, seconds } from '../../core/time.ts';
import { cancel, continueFrom, RetryableError, snooze, TerminalError } from '../../job/run/outcome.ts';
import { thenSubmit } from '../../job/waits/owed.ts';
import type { Publication } from '../../job/ports.ts';
import { type AnyKind, createRegistry, defineJob, type JobContext } from '../../job/registry.ts';
import { pipeline, type PipelineDefinition } from '../../pipeline/definition.ts';
import { defineStage, publish, type StageContext } from '../../pipeline/stage.ts';
import type { Release } from './release.ts';
import { litEnding } from './spotlight.ts';
import { judgeStage } from './stage-laws.ts';
import type { World } from './world.ts';

/** Deferring for ever is not an error of the protocol, so each job does it a few times only. */
const MOST_DEFERRALS = 3;
/** Tables that the staged jobs of a run publish to; they take turns, so that one overtakes another. */
const TABLES = ['table-a', 'table-b'] as const;
/** What a waiting job is told by, or times out without. */
export const SIGNAL = 'go';

const input = z.strictObject({});
const state = z.object({ epoch: z.number() });

/**
 * What the processes of a run know: the release that most of them run, one with another stage and kind, and one that has lost a kind, which
 * is gone again before the run ends.
 */
export function simulatedReleases(world: World): readonly Release[] {
  const deferrals = new Map<string, number>();
  const run = (ctx: JobContext) => behave(world, ctx, deferrals);
  const budget = (purpose: string) => 1 + Math.floor((1 - world.draws.draw('run', purpose)) * 2.99);
  const budgets = { attempts: budget('attempts'), crashes: budget('crashes') };
  const simple = defineJob({ kind: 'simple', input, run, ...budgets });
  const added = defineJob({ kind: 'added', input, run });
  const waiting = defineJob({ kind: 'waiting', input, run: async (ctx) => waitThen(world, ctx, run) });
  const followed = defineJob({ kind: 'followed', input, run: async (ctx) => follow(await run(ctx)) });
  const stage = (name: string, how: (ctx: StageContext) => ReturnType<typeof conclude> | ReturnType<Run> = run) => {
    const judged = (ctx: StageContext) => {
      judgeStage(world, ctx.ref, ctx.epoch, name);
      return how(ctx);
    };
    return defineStage({ name, output: state, run: judged });
  };
  const last = stage('last', (ctx) => conclude(world, ctx, run));
  const staged = pipeline('staged', { input, version: '1' }).stage(stage('first')).stage(last);
  const longer = pipeline('staged', { input, version: '2' })
    .stage(stage('first'))
    .stage(stage('between'), { sharesStep: true })
    .stage(last);
  const others = [waiting, followed];
  return [releaseOf([simple, staged, ...others]), releaseOf([simple, added, longer, ...others]), releaseOf([staged])];
}

/** A release of these kinds. */
export const releaseOf = (kinds: readonly AnyKind[]): Release => ({
  registry: createRegistry(kinds),
  pipelines: new Map(kinds.flatMap((kind) => ('stages' in kind ? [[kind.kind, kind as PipelineDefinition]] : []))),
});

type Run = (ctx: JobContext) => ReturnType<typeof behave>;

async function behave(world: World, ctx: JobContext, deferrals: Map<string, number>) {
  const draw = drawOf(world, ctx);
  const heeds = draw('heeds') < 0.7;
  const signal = heeds ? ctx.signal : undefined;
  await ctx.clock.sleep(duration(draw('work')), signal);
  if (heeds && ctx.signal.aborted) throw new Error('aborted');
  if (draw('progress') > 0.7) ctx.progress(1, 2, 'half');
  const checkpoints = world.faults.spotlight === 'checkpoint' ? 3 : 1;
  for (let left = checkpoints; left > 0 && draw('checkpoint') > 0.8 / checkpoints; left--) {
    await ctx.checkpoint({ left });
    await ctx.clock.sleep(checkpoints > 1 ? seconds(draw('work') * 60) : duration(draw('work')), signal);
  }
  const deferred = deferrals.get(ctx.ref.id) ?? 0;
  const ends = draw('end');
  if (ends > 0.8 && deferred < MOST_DEFERRALS) {
    deferrals.set(ctx.ref.id, deferred + 1);
    return ends < 0.9 ? snooze(seconds(draw('later') * 40)) : continueFrom({ at: deferred }, seconds(1));
  }
  if (ends > 0.78) return cancel('not wanted');
  return finish(world, ctx, ends, draw);
}

const drawOf = ({ draws }: World, { ref, epoch }: JobContext) => draws.of(`${ref.id}/${epoch}`);

function finish(
  { oracle, faults }: World,
  { ref, epoch }: JobContext,
  ends: number,
  draw: (purpose: string) => number,
) {
  const lit = litEnding(faults);
  if (ends < (lit === 'once more' ? 0.2 : 0.58)) {
    oracle.ended(ref.id, epoch, { value: JSON.stringify({ epoch }) });
    return { epoch };
  }
  oracle.ended(ref.id, epoch, 'throw');
  if (lit === undefined ? ends < 0.6 : lit === 'for good') throw new TerminalError('never');
  if (ends < 0.66) throw new RetryableError({ message: 'later', retryAfter: seconds(draw('later') * 10) });
  throw new Error('this time');
}

/** A step that is not computed again, a child or two, and a signal: each is waited for without a worker. */
async function waitThen(world: World, ctx: JobContext, run: Run) {
  const draw = world.draws.of(`${ctx.ref.id}/waiting`);
  const drawn = await ctx.step('number', () => drawOf(world, ctx)('number'));
  world.oracle.stepped(`${ctx.ref.id}/number`, drawn);
  for (let child = 0; child < Math.floor(draw('children') * 3); child++)
    await ctx.submit('simple', {}, { name: `child-${child}` });
  await ctx.waitForChildren();
  if (draw('waits') > 0.5 || world.faults.spotlight === 'side/time-out')
    await ctx.waitFor(SIGNAL, { timeout: minutes(4) }).catch(rethrowUnlessLate);
  return run(ctx);
}

/** Nobody told it in time; anything else ends the run. */
function rethrowUnlessLate(thrown: unknown): void {
  if (!(thrown instanceof Error) || !('code' in thrown) || thrown.code !== 'WAIT_TIMED_OUT') throw thrown;
}

/** A job follows the success. */
const follow = (returned: Awaited<ReturnType<Run>>) =>
  'epoch' in returned ? thenSubmit(returned, { kind: 'simple', input: {} }) : returned;

/** The last stage of a pipeline: what it returns becomes visible with its settle. */
async function conclude(world: World, ctx: StageContext, run: Run) {
  const returned = await run(ctx);
  if (!('epoch' in returned)) return returned;
  return publish({ publications: [publicationOf(world, ctx)], result: () => returned, warnings: 0 });
}

/** Drawn from the table's counter at receive in production; here the order in which the jobs were submitted. */
function publicationOf({ refs }: World, { ref, epoch }: JobContext): Publication {
  const place = refs.findIndex(({ id }) => id === ref.id);
  const table = TABLES[place % TABLES.length] ?? 'table-a';
  return {
    dataset: 'dataset' as unknown as DatasetId,
    table: derivedId('tbl', table),
    snapshot: `${ref.id}/${epoch}` as unknown as SnapshotId,
    sequence: place + 1,
    manifest: `${ref.id}/${epoch}/manifest`,
  };
}

/** Mostly short, sometimes longer than a lease. */
const duration = (drawn: number): DurationMs => millis(drawn ** 3 * 100_000);
