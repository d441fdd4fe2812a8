// A kind is checked when it is defined, in a sentence that says what to write instead: a mistake shows when the file is loaded, not when
// the first job of that kind runs.
import { type DurationMs, seconds } from '../core/time.ts';
import { isLimit, MOST_AT_ONCE } from './gates/gate-limits.ts';
import { laneSchema } from './row.ts';

/** The longest time-out of a kind whose doorbells are heard several at a time: one slow job would hold up the rest. */
export const BATCH_TIMEOUT = seconds(20);

const KIND_NAME = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*$/;
const LONGEST_NAME = 60;
const FUNCTION_NAME = /^[a-z][a-z0-9-]{0,29}$/;
/** Kinds that come with the engine. */
const RESERVED = ['diagnostic.', 'system.'];
const MOST_RUNS = 1000;

/** What is the same for jobs and pipelines. */
interface Definition {
  readonly kind: string;
  readonly input: unknown;
  readonly attempts?: number | undefined;
  readonly crashes?: number | undefined;
  readonly deadline?: DurationMs | undefined;
  readonly lane?: string | undefined;
  readonly function?: string | undefined;
  readonly concurrency?: { readonly key?: unknown; readonly limit: number } | undefined;
  readonly rate?:
    | { readonly key?: unknown; readonly perMinute: number; readonly burst?: number | undefined }
    | undefined;
}

interface JobDefinition extends Definition {
  readonly run: unknown;
  readonly timeout?: DurationMs | undefined;
  readonly batch?: true | undefined;
}

/** Throws a TypeError for a definition that nothing could run. */
export function checkKind(definition: Definition): void {
  const { kind } = definition;
  if (typeof kind !== 'string' || !KIND_NAME.test(kind) || kind.length > LONGEST_NAME)
    throw new TypeError(
      `${JSON.stringify(kind)} is no name for a kind: use lower case, digits and hyphens, in parts joined by dots, at most ` +
        `${LONGEST_NAME} characters, e.g. "report.monthly".`,
    );
  const refuse = refusal(kind);
  if (!isSchema(definition.input)) refuse('input must be a zod schema, e.g. z.strictObject({ month: z.string() }).');
  for (const budget of ['attempts', 'crashes'] as const)
    if (!isCount(definition[budget]))
      refuse(`${budget} counts the runs that may fail, the last one included: a whole number from 1 to ${MOST_RUNS}.`);
  const { deadline } = definition;
  if (deadline !== undefined && !(deadline > 0 && Number.isFinite(deadline)))
    refuse('deadline must be a length of time above zero, e.g. hours(2).');
  if (definition.lane !== undefined && !laneSchema.safeParse(definition.lane).success)
    refuse(`lane is ${laneSchema.options.map((lane) => `"${lane}"`).join(' or ')}.`);
  if (definition.function !== undefined && !FUNCTION_NAME.test(definition.function))
    refuse(
      'function is the name of a Lambda function of its own: lower case, digits and hyphens, at most 30 characters.',
    );
  checkGates(definition);
}

/** Throws a TypeError where a limit is none. */
function checkGates({ kind, concurrency, rate }: Definition): void {
  const refuse = refusal(kind);
  const numbers = { limit: concurrency?.limit ?? 1, perMinute: rate?.perMinute ?? 1, burst: rate?.burst ?? 1 };
  for (const [name, number] of Object.entries(numbers))
    if (!isLimit(number)) refuse(`${name} is a whole number from 1 to ${MOST_AT_ONCE}.`);
  for (const key of [concurrency?.key, rate?.key])
    if (key !== undefined && typeof key !== 'function') refuse('key must be a function: (input) => "a key".');
}

/** The same for a job, with what only jobs have. */
export function checkJob(definition: JobDefinition): void {
  checkKind(definition);
  const refuse = refusal(definition.kind);
  const { timeout, batch } = definition;
  if (typeof definition.run !== 'function') refuse('run must be a function: (ctx, input) => result.');
  if (timeout !== undefined && !(timeout > 0 && Number.isFinite(timeout)))
    refuse('timeout must be a length of time above zero, e.g. minutes(5).');
  if (batch !== true) return;
  if (timeout === undefined || timeout > BATCH_TIMEOUT)
    refuse('batch is for short jobs: give it a timeout of at most seconds(20).');
  if (definition.function !== undefined)
    refuse('batch and function do not go together: batches run in the worker function.');
}

/** Throws a TypeError when a kind of the user's has a name that the engine keeps for its own. */
export function refuseReserved({ kind }: { readonly kind: string }): void {
  const reserved = RESERVED.find((prefix) => kind.startsWith(prefix));
  if (reserved !== undefined)
    throw new TypeError(
      `The kind "${kind}" cannot be yours: names that start with "${reserved}" come with the engine.`,
    );
}

const refusal = (kind: string) => (why: string) => {
  throw new TypeError(`The kind "${kind}" is not right: ${why}`);
};

const isSchema = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && typeof (input as { safeParse?: unknown }).safeParse === 'function';

const isCount = (value: number | undefined): boolean =>
  value === undefined || (Number.isInteger(value) && value >= 1 && value <= MOST_RUNS);
