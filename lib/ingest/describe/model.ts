// The port of a language model: one question, one answer that fits a schema. The adapter knows the service; budgets, prompts and what is done
// with a wrong answer are known here.
import type { Chance } from '../../core/chance.ts';
import { isOutage } from '../../core/outage.ts';
import { type Clock, millis, seconds } from '../../core/time.ts';

export interface ModelQuestion {
  readonly system: string;
  readonly user: string;
  /** The answer is what this tool is called with. */
  readonly tool: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema. */
    readonly schema: Readonly<Record<string, unknown>>;
  };
  readonly maxTokens: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ModelAnswer {
  /** What the tool was called with; undefined where the model did not call it. */
  readonly input: unknown;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Model {
  /** As the service knows it. */
  readonly id: string;
  /** Throws what the service throws. */
  ask(question: ModelQuestion): Promise<ModelAnswer>;
}

const TRIES = 4;
const FIRST_PAUSE = seconds(1);

export interface PatienceDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly chance: Chance;
}

/** Asks again after a throttle, a time-out or a fault of the service: four times in all, after 1, 2 and 4 s at most, with full jitter. */
export function patientModel(model: Model, { clock, chance }: PatienceDeps): Model {
  const ask = async (question: ModelQuestion, tried = 1): Promise<ModelAnswer> => {
    try {
      return await model.ask(question);
    } catch (thrown) {
      question.signal?.throwIfAborted();
      if (tried >= TRIES || !passes(thrown)) throw thrown;
      await clock.sleep(millis(Math.ceil(FIRST_PAUSE * 2 ** (tried - 1) * chance.next())), question.signal);
      question.signal?.throwIfAborted();
      return ask(question, tried + 1);
    }
  };
  return { id: model.id, ask: (question) => ask(question) };
}

/** Whether the same call may work later. */
export const passes = (thrown: unknown): boolean =>
  isOutage(thrown) ||
  (thrown instanceof Error && /^Model(?:NotReady|Timeout|Error)Exception$|^AbortError$/.test(thrown.name));
