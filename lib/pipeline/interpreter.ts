// Executions in this process, over the same definitions and the same steps as the state machine: for the embedded mode and for tests.
// It keeps nothing: after a restart a probe answers "gone", and the sweep revives the job.
import { asError } from '../core/check.ts';
import type { Engine } from '../job/engine.ts';
import { ShuttingDown } from '../job/run/hurry.ts';
import { type Doorbell, type Executions, StoreUnavailable } from '../job/ports.ts';
import { executionName } from './calls.ts';
import type { PipelineDefinition } from './definition.ts';
import { settleExecution } from './settle-execution.ts';
import { runStep } from './stage-runner.ts';

export interface InterpreterOptions {
  readonly pipelines: readonly PipelineDefinition[];
  /** Asked when an execution starts: an engine holds its executions, so it is made after them. */
  readonly engine: () => Engine;
  /** Executions that run side by side; the others wait their turn. */
  readonly concurrency: number;
  /** Aborts when one step has taken as long as it may; none by default. */
  readonly limit?: (() => AbortSignal) | undefined;
}

export interface Interpreter extends Executions {
  /** Resolves when no execution runs or waits. */
  idle(): Promise<void>;
  /** Takes no more, aborts what runs (each job is queued again, at no cost), and resolves when all have ended. */
  stop(): Promise<void>;
}

export function createInterpreter({ pipelines, engine, concurrency, limit }: InterpreterOptions): Interpreter {
  const executions = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const turns = createTurns(concurrency);

  const signal = () => (limit === undefined ? stopping.signal : AbortSignal.any([stopping.signal, limit()]));
  const execute = async (bell: Doorbell, definition: PipelineDefinition): Promise<void> => {
    await turns.take();
    try {
      if (!stopping.signal.aborted) await runSteps(engine(), definition, bell, signal);
    } finally {
      turns.give();
      executions.delete(keyOf(bell));
    }
  };

  return {
    start: async (bell, pipeline) => {
      const definition = pipelines.find((each) => each.kind === pipeline);
      if (definition === undefined) throw new TypeError(`no pipeline is named ${pipeline}`);
      if (stopping.signal.aborted) throw new StoreUnavailable('The interpreter is stopping.');
      if (!executions.has(keyOf(bell))) executions.set(keyOf(bell), execute(bell, definition));
    },
    probe: async (bell) => (executions.has(keyOf(bell)) ? 'running' : 'gone'),
    idle: async () => {
      while (executions.size > 0) await Promise.all(executions.values());
    },
    stop: async () => {
      stopping.abort(new ShuttingDown('The interpreter is stopping.'));
      await Promise.all(executions.values());
    },
  };
}

const keyOf = (bell: Doorbell): string => `${bell.ref.tenant}/${bell.ref.workspace}/${executionName(bell)}`;

async function runSteps(engine: Engine, definition: PipelineDefinition, bell: Doorbell, signal: () => AbortSignal) {
  try {
    for (const step of definition.steps) await runStep(engine, definition, { bell, step: step.name, signal: signal() });
  } catch (thrown) {
    await settleAfter(engine, bell, asError(thrown).message);
  }
}

async function settleAfter(engine: Engine, bell: Doorbell, cause: string): Promise<void> {
  try {
    await settleExecution(engine, { bell, cause });
  } catch (thrown) {
    engine.log.warn('An execution was not settled; the sweep decides.', {
      job: bell.ref.id,
      epoch: bell.epoch,
      cause,
      error: asError(thrown).message,
    });
  }
}

/** Lets so many pass at a time, in the order of asking. */
function createTurns(places: number) {
  let free = places;
  const waiting: (() => void)[] = [];
  return {
    take: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give: () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
