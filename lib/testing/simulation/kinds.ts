// The handlers of a simulated run: they take their time, heed their signal or not, and end in every way that a handler can.
import * as z from 'zod';
import { derivedId, type DatasetId, type SnapshotId } from '../../core/ids.ts';
import { type DurationMs, millis, seconds } from '../../core/time.ts';
import { cancel, continueFrom, RetryableError, snooze, TerminalError } from '../../job/outcome.ts';
import type { Publication } from '../../job/ports.ts';
import { type AnyKind, createRegistry, defineJob, type JobContext } from '../../job/registry.ts';
import { pipeline, type PipelineDefinition } from '../../pipeline/definition.ts';
import { defineStage, publish, type StageContext } from '../../pipeline/stage.ts';
import type { Release } from './release.ts';
import type { World } from './world.ts';

/** Deferring for ever is not an error of the protocol, so each job does it a few times only. */
const MOST_DEFERRALS = 3;
/** Tables that the staged jobs of a run publish to; they take turns, so that one overtakes another. */
const TABLES = ['table-a', 'table-b'] as const;

const input = z.strictObject({});
const state = z.object({ epoch: z.number() });

/**
 * What the processes of a run know: the release that most of them run, one with another stage and kind, and one that has lost a kind, which
 * is gone again before the run ends.
 */
export function simulatedReleases(world: World): readonly Release[] {
  const deferrals = new Map<string, number>();
  const run = (ctx: JobContext) => behave(world, ctx, deferrals);
  const simple = defineJob({ kind: 'simple', input, run });
  const added = defineJob({ kind: 'added', input, run });
  const stage = (name: string) => defineStage({ name, output: state, run });
  const last = defineStage({ name: 'last', output: state, run: (ctx: StageContext) => conclude(world, ctx, run) });
  const staged = pipeline('staged', { input, version: '1' }).stage(stage('first')).stage(last);
  const longer = pipeline('staged', { input, version: '2' })
    .stage(stage('first'))
    .stage(stage('between'), { sharesStep: true })
    .stage(last);
  return [releaseOf([simple, staged]), releaseOf([simple, added, longer]), releaseOf([staged])];
}

/** A release of these kinds. */
export const releaseOf = (kinds: readonly AnyKind[]): Release => ({
  registry: createRegistry(kinds),
  pipelines: new Map(kinds.flatMap((kind) => ('stages' in kind ? [[kind.kind, kind as PipelineDefinition]] : []))),
});

async function behave(world: World, ctx: JobContext, deferrals: Map<string, number>) {
  const draw = (purpose: string) => world.draws.draw(`${ctx.ref.id}/${ctx.epoch}`, purpose);
  const heeds = draw('heeds') < 0.7;
  const signal = heeds ? ctx.signal : undefined;
  await ctx.clock.sleep(duration(draw('work')), signal);
  if (heeds && ctx.signal.aborted) throw new Error('aborted');
  if (draw('progress') > 0.7) ctx.progress(1, 2, 'half');
  const deferred = deferrals.get(ctx.ref.id) ?? 0;
  const ends = draw('end');
  if (ends > 0.8 && deferred < MOST_DEFERRALS) {
    deferrals.set(ctx.ref.id, deferred + 1);
    return ends < 0.9 ? snooze(seconds(draw('later') * 40)) : continueFrom({ at: deferred }, seconds(1));
  }
  if (ends > 0.78) return cancel('not wanted');
  return finish(world, ctx, ends, draw);
}

function finish({ oracle }: World, { ref, epoch }: JobContext, ends: number, draw: (purpose: string) => number) {
  if (ends < 0.58) {
    oracle.ended(ref.id, epoch, { value: JSON.stringify({ epoch }) });
    return { epoch };
  }
  oracle.ended(ref.id, epoch, 'throw');
  if (ends < 0.6) throw new TerminalError('never');
  if (ends < 0.66) throw new RetryableError({ message: 'later', retryAfter: seconds(draw('later') * 10) });
  throw new Error('this time');
}

/** The last stage of a pipeline: what it returns becomes visible with its settle. */
async function conclude(world: World, ctx: StageContext, run: (ctx: JobContext) => ReturnType<typeof behave>) {
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
