import { createContext } from '../job/context/context.ts';
import type { Parking } from '../job/context/interrupt.ts';
import { cursorJson } from '../job/payload.ts';
import { refOf } from '../job/row.ts';
import type { Run } from './run.ts';
import type { Stage, StageContext } from './stage.ts';
import { loadOutput, readOutput, type StoredOutput } from './stage-output.ts';

export interface StageGiven {
  /** What the stage before it returned. */
  readonly before: StoredOutput | undefined;
  /** Aborts with the run, and when the stage waits. */
  readonly signal: AbortSignal;
  readonly parking: Parking;
}

/** What a stage is given of the world. */
export function contextOf(run: Run, stage: Stage, { before, signal, parking }: StageGiven): StageContext {
  return {
    ...createContext({
      engine: run.engine,
      row: run.row(),
      stage: stage.name,
      signal,
      parking,
      progress: (done, total, note = stage.name) => run.progress(done, total, note),
      checkpoint: (cursor) => run.checkpoint({ heldBy: 'worker', cursor: cursorJson(cursor) }),
    }),
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
  return readOutput(stage, await loadedOnce(run, key));
}

function loadedOnce(run: Run, key: string): Promise<StoredOutput> {
  const { engine, outputs } = run;
  const known = outputs.get(key);
  if (known !== undefined) return known;
  const loading = loadOutput(engine, refOf(run.row()), key);
  outputs.set(key, loading);
  // What was not read is asked for again.
  loading.catch(() => outputs.delete(key));
  return loading;
}
