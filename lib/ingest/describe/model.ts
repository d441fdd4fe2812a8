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
  /** How often in all; four times where left out. */
  readonly tries?: number | undefined;
}

/** Asks again after a throttle, a time-out or a fault of the service: after 1, 2, 4, … s at most, with full jitter. */
export async function patiently<Answer>(
  { clock, chance, tries = TRIES }: PatienceDeps,
  signal: AbortSignal | undefined,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const attempt = async (tried: number): Promise<Answer> => {
    try {
      return await ask();
    } catch (thrown) {
      signal?.throwIfAborted();
      if (tried >= tries || !passes(thrown)) throw thrown;
      await clock.sleep(millis(Math.ceil(FIRST_PAUSE * 2 ** (tried - 1) * chance.next())), signal);
      signal?.throwIfAborted();
      return attempt(tried + 1);
    }
  };
  return attempt(1);
}

export const patientModel = (model: Model, deps: PatienceDeps): Model => ({
  id: model.id,
  ask: (question) => patiently(deps, question.signal, () => model.ask(question)),
});

/** Whether the same call may work later. */
export const passes = (thrown: unknown): boolean =>
  isOutage(thrown) ||
  (thrown instanceof Error && /^Model(?:NotReady|Timeout|Error)Exception$|^AbortError$/.test(thrown.name));
