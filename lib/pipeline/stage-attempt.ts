// One run of one stage, from its input to what it came to: an output that is written and can be committed, or an outcome to settle with.
import { Fault } from '../core/fault.ts';
import type { SnapshotId } from '../core/ids.ts';
import { seconds } from '../core/time.ts';
import { createParking, type Parking } from '../job/context/interrupt.ts';
import { deadlinePassed, outcomeOfHurry } from '../job/run/hurry.ts';
import { answerOf, type Outcome, outcomeOfThrow } from '../job/run/outcome.ts';
import { followedOf, prepareOwed } from '../job/waits/owed.ts';
import { loadPayload, savePayload } from '../job/payload.ts';
import { MAX_PUBLICATIONS, StoreUnavailable } from '../job/ports.ts';
import { type PayloadRef, refOf } from '../job/row.ts';
import { ending } from '../job/timing.ts';
import { untilAnswered } from '../job/write.ts';
import { isHeldBefore, STAGE_HELD } from './hold.ts';
import { isLastStage, stageBefore } from './position.ts';
import type { Run } from './run.ts';
import { type PublishingParts, publishingOf, type Stage } from './stage.ts';
import { contextOf } from './stage-context.ts';
import { loadOutput, outputJson, readOutput, type StoredOutput, saveOutput } from './stage-output.ts';

/** The output of the stage before, where this invocation has it at hand. */
export type Before = StoredOutput | undefined;

export type StageEnd =
  | { readonly kind: 'commit'; readonly output: StoredOutput }
  | { readonly kind: 'settle'; readonly outcome: Outcome };

const settle = (outcome: Outcome): StageEnd => ({ kind: 'settle', outcome });

/** How long a job waits for a store that does not answer; it costs no attempt. */
const STORE_PAUSE = seconds(30);

/** What a stage throws becomes an outcome, a lost lease too: the settle then writes nothing. */
export async function attemptStage(run: Run, stage: Stage, before: Before): Promise<StageEnd> {
  if (run.cancelReason() !== undefined) return cancelled(run);
  if (run.hurry() === 'past its deadline') return settle(deadlinePassed(stage.name));
  if (isHeldBefore(run.row(), stage.name)) return settle({ kind: 'park', reason: STAGE_HELD });
  const parking = createParking();
  const came = await attempt(run, stage, { before, parking });
  const parked = parking.parked();
  const end = parked === undefined ? came : settle(hurried(run, stage, parked));
  const succeeds = end.kind === 'settle' && end.outcome.kind === 'succeed';
  return run.cancelReason() === undefined || succeeds ? end : cancelled(run);
}

const cancelled = (run: Run): StageEnd => settle({ kind: 'cancelled', reason: run.cancelReason() ?? '' });

async function attempt(
  run: Run,
  stage: Stage,
  { before, parking }: { readonly before: Before; readonly parking: Parking },
): Promise<StageEnd> {
  try {
    const earlier = before ?? (await lastOutput(run));
    const input = await inputOf(run, stage, earlier);
    const signal = AbortSignal.any([run.signal, parking.signal]);
    const context = contextOf(run, stage, { before: earlier, signal, parking });
    const work = run.container.run(() => stage.run(context, input as never));
    const returned = await unlessLeft(run.engine, signal, work);
    run.container.signal.throwIfAborted();
    return await endOf(run, stage, earlier, returned);
  } catch (thrown) {
    return settle(outcomeOf(run, stage, thrown));
  }
}

/** Work that has not ended a while after the abort is left behind: whatever it still writes, no row will name. */
async function unlessLeft<T>(engine: Run['engine'], signal: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { signal: ended.signal });
  });
  const left = aborted.then(async () => {
    await engine.clock.sleep(engine.settings.leaseMargin, ended.signal);
    throw signal.reason;
  });
  try {
    return await Promise.race([work, left]);
  } finally {
    ended.abort();
  }
}

function outcomeOf(run: Run, stage: Stage, thrown: unknown): Outcome {
  if (thrown instanceof StoreUnavailable) return { kind: 'snooze', delay: STORE_PAUSE };
  const escaped = run.container.signal;
  return hurried(run, stage, outcomeOfThrow(escaped.aborted ? escaped.reason : thrown, stage.name));
}

function hurried(run: Run, stage: Stage, outcome: Outcome): Outcome {
  const hurry = run.hurry();
  return hurry === undefined ? outcome : outcomeOfHurry(hurry, outcome, { moved: run.moved(), stage: stage.name });
}

async function inputOf(run: Run, stage: Stage, before: Before): Promise<unknown> {
  const previous = stageBefore(run.definition, stage);
  const row = run.row();
  if (previous !== undefined) {
    if (before === undefined) throw new Fault('INPUT_UNREADABLE', `The job names no output of ${previous.name}.`);
    return readOutput(previous, before);
  }
  const parsed = run.definition.input.safeParse(await loadPayload(run.engine, refOf(row), row.input));
  if (parsed.success) return parsed.data;
  const detail = `The input does not fit ${run.definition.kind} of the deployed version.`;
  throw new Fault('INPUT_UNREADABLE', detail, { cause: parsed.error });
}

async function endOf(run: Run, stage: Stage, before: Before, returned: unknown): Promise<StageEnd> {
  const answer = answerOf(returned);
  if (answer !== undefined) return settle(answer);
  const publishing = publishingOf(returned);
  if (publishing !== undefined && !isLastStage(run.definition, stage))
    throw new Fault('OUTPUT_INVALID', `Stage ${stage.name} publishes, but only the last stage may.`);
  if (publishing !== undefined) return settle(await published(run, stage, publishing));
  const { result, next } = followedOf(returned);
  if (isLastStage(run.definition, stage)) {
    const saved = await saveResult(run, stage, result);
    const owes = next && (await prepareOwed(run.engine, run.row(), next));
    return settle({ kind: 'succeed', stage: stage.name, result: saved, owes });
  }
  if (next !== undefined)
    throw new Fault('OUTPUT_INVALID', `Stage ${stage.name} submits what follows, but only the last stage may.`);
  return { kind: 'commit', output: await saveOutput(run.engine, run.row(), stage, returned, before) };
}

async function published(run: Run, stage: Stage, parts: PublishingParts<unknown>): Promise<Outcome> {
  const { publications, warnings, stored } = parts;
  if (publications.length > MAX_PUBLICATIONS)
    throw new Fault(
      'LIMIT_EXCEEDED',
      `A job publishes at most ${MAX_PUBLICATIONS} tables; this one ${publications.length}.`,
    );
  const resultFor = (superseded: readonly SnapshotId[]) => saveResult(run, stage, parts.result(superseded));
  const result = await resultFor([]);
  const owes = parts.next && (await prepareOwed(run.engine, run.row(), parts.next));
  return { kind: 'succeed', stage: stage.name, result, warnings, owes, publications, resultFor, stored };
}

function saveResult({ engine, ...run }: Run, stage: Stage, value: unknown): Promise<PayloadRef> {
  const row = run.row();
  const json = outputJson(stage, value);
  const { expiresAt } = ending(engine.settings, engine.clock.now(), 'succeeded');
  return untilAnswered(engine, engine.settings.lease, () =>
    savePayload(engine, refOf(row), `result-${row.epoch}`, json, expiresAt),
  );
}

async function lastOutput(run: Run): Promise<Before> {
  const row = run.row();
  return row.stageOutput === undefined ? undefined : loadOutput(run.engine, refOf(row), row.stageOutput);
}
