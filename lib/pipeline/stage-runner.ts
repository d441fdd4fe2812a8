// Runs a step of a pipeline: begin, then each stage that is not committed yet, then its checkpoint. The machine and the interpreter both
// call this; whatever a stage comes to, the row says it before the execution hears of it.
import { Fault } from '../core/fault.ts';
import type { Claim } from '../job/claim.ts';
import type { Engine } from '../job/engine.ts';
import { outcomeOfThrow } from '../job/run/outcome.ts';
import { begin, rowOf } from './begin.ts';
import type { StageCall } from './calls.ts';
import type { PipelineDefinition } from './definition.ts';
import { uncommittedOf } from './position.ts';
import { openRun, type Run } from './run.ts';
import type { Stage } from './stage.ts';
import { attemptStage, type Before } from './stage-attempt.ts';
import { ExecutionStopped } from './stopped.ts';

/**
 * Runs what is left of a step; a step that is committed already is skipped without a write. Throws ExecutionStopped when the execution
 * has to end: after the stage settled the job otherwise than by success, and when the job is not this execution's to run.
 */
export async function runStep(engine: Engine, definition: PipelineDefinition, call: StageCall): Promise<void> {
  const claim = await beginStep(engine, definition, call);
  if (claim === undefined) return;
  const run = openRun(engine, definition, claim, call.signal);
  try {
    await runStages(run, call.step);
  } finally {
    await run.close();
  }
}

/** How often a begin is decided anew before the machine's settle has to decide. */
const BEGIN_TRIES = 3;

async function beginStep(engine: Engine, definition: PipelineDefinition, call: StageCall): Promise<Claim | undefined> {
  for (let tries = 0; tries < BEGIN_TRIES; tries++) {
    const row = await rowOf(engine, call.bell);
    const left = uncommittedOf(definition, call.step, row);
    if (!(left instanceof Fault) && left.length === 0) return undefined;
    const claim = await begin(engine, call.bell, row);
    if (claim !== undefined) return claim;
  }
  throw new ExecutionStopped('unanswered', `${call.bell.ref.id} changed under every attempt to begin`);
}

async function runStages(run: Run, step: string): Promise<void> {
  const stages = uncommittedOf(run.definition, step, run.row());
  if (stages instanceof Fault) return run.settle(outcomeOfThrow(stages));
  let before: Before;
  for (const stage of stages) before = await runStage(run, stage, before, stage === stages.at(-1));
}

async function runStage(run: Run, stage: Stage, before: Before, endsStep: boolean): Promise<Before> {
  const { log, clock } = run.engine;
  const started = clock.monotonic();
  run.enter(stage.name);
  const end = await attemptStage(run, stage, before);
  if (end.kind === 'settle') {
    await run.settle(end.outcome);
    return undefined;
  }
  const heldBy = endsStep ? 'execution' : 'worker';
  await run.checkpoint({ heldBy, stage: stage.name, stageOutput: end.output.key });
  run.outputs.set(end.output.key, Promise.resolve(end.output));
  const elapsedMs = Math.round(clock.monotonic() - started);
  log.info('stage committed', { job: run.row().id, epoch: run.row().epoch, stage: stage.name, elapsedMs });
  return end.output;
}
