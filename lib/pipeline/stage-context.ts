import type { JobContext } from '../job/registry.ts';
import { cursorJson, objectPrefixOf } from '../job/payload.ts';
import { refOf } from '../job/row.ts';
import type { Run } from './run.ts';
import type { Stage, StageContext } from './stage.ts';
import { loadOutput, readOutput, type StoredOutput } from './stage-output.ts';

/** What a stage is given of the world. `before` is what the stage before it returned. */
export function contextOf(run: Run, stage: Stage, before: StoredOutput | undefined): StageContext {
  const row = run.row();
  const { clock, log, objects } = run.engine;
  const base: JobContext = {
    ref: refOf(row),
    epoch: row.epoch,
    attempt: row.attempts + 1,
    signal: run.signal,
    log,
    clock,
    objects,
    objectPrefix: objectPrefixOf(refOf(row), row.epoch),
    correlationId: row.correlationId,
    ...(row.cursor === undefined ? {} : { cursor: JSON.parse(row.cursor) as unknown }),
    progress: (done, total, note = stage.name) => run.progress(done, total, note),
    checkpoint: (cursor) => run.checkpoint({ heldBy: 'worker', cursor: cursorJson(cursor) }),
  };
  return {
    ...base,
    folder: () => run.folder.path(),
    outputOf: (earlier) => outputOf(run, earlier, before),
  };
}

async function outputOf<Out>(
  run: Run,
  stage: Pick<Stage<never, Out>, 'name' | 'output'>,
  before: StoredOutput | undefined,
): Promise<Out> {
  if (before?.stage === stage.name) return readOutput(stage, before);
  const key = before?.earlier[stage.name];
  if (key === undefined) throw new TypeError(`stage ${stage.name} has not been committed before this one`);
  return readOutput(stage, await loadOutput(run.engine, refOf(run.row()), key));
}
