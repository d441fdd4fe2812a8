// The definition as a state machine of Step Functions: a task a step, and one settle state that catches everything. The machine decides
// nothing: the row does. A throttled invocation is sent again, since nothing ran; any other failure is not, since a stage may still run.
import type { PipelineDefinition, Step } from './definition.ts';

const MAX_DEFINITION_BYTES = 1_048_576;
/** The hard limit of an execution's history. */
export const MAX_HISTORY_EVENTS = 25_000;

/** Capitals keep these apart from steps, whose names have none. */
const SETTLE = 'Settle';
const SETTLED = 'Settled';

interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds: number;
  readonly BackoffRate: number;
  readonly MaxDelaySeconds: number;
  readonly MaxAttempts: number;
  readonly JitterStrategy: 'FULL';
}
interface TaskState {
  readonly Type: 'Task';
  readonly Resource: string;
  readonly Parameters: Readonly<Record<string, string>>;
  readonly ResultPath: null;
  readonly TimeoutSeconds: number;
  readonly Retry: readonly Retrier[];
  readonly Catch?: readonly { ErrorEquals: readonly string[]; ResultPath: string; Next: string }[];
  readonly Next?: string;
  readonly End?: true;
}
type State = TaskState | { readonly Type: 'Succeed' };

/** A definition in Amazon States Language. */
export interface StateMachine {
  readonly Comment: string;
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

export interface StateMachineFunctions {
  /** ARN of a published version, so that an execution finishes on the code that it started with. */
  readonly stageFunctionArn: string;
  readonly settleFunctionArn: string;
}

const retrier = (attempts: number, ...errors: string[]): Retrier => ({
  ErrorEquals: errors,
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
  MaxAttempts: attempts,
  JitterStrategy: 'FULL',
});
/** An hour: full jitter waits half of the cap, 30 s, on average. */
const whenThrottled = retrier(125, 'Lambda.TooManyRequestsException', 'Lambda.EC2ThrottledException');
/** Settling twice is harmless. */
const whenSettleFails = retrier(10, 'States.ALL');

const ids = { 'tenant.$': '$.tenant', 'workspace.$': '$.workspace', 'id.$': '$.id', 'epoch.$': '$.epoch' };
/** Above the longest invocation of a function, so that a lost answer cannot hold an execution for ever. */
const common = { Type: 'Task', ResultPath: null, TimeoutSeconds: 960 } as const;

/** Throws a RangeError when Step Functions would refuse the machine, or could let it run out of history. */
export function stateMachine(definition: PipelineDefinition, functions: StateMachineFunctions): StateMachine {
  const steps = definition.steps.map((step, index) => [
    step.name,
    stepState(definition, step, definition.steps[index + 1], functions.stageFunctionArn),
  ]);
  const machine: StateMachine = {
    Comment: `Runs ${definition.kind}, version ${definition.version}. The job row says how it ended; an execution only carries it.`,
    StartAt: definition.steps[0]?.name ?? SETTLED,
    States: {
      ...(Object.fromEntries(steps) as Record<string, State>),
      [SETTLE]: {
        ...common,
        Resource: functions.settleFunctionArn,
        Parameters: { ...ids, 'error.$': '$.error' },
        Retry: [whenThrottled, whenSettleFails],
        Next: SETTLED,
      },
      [SETTLED]: { Type: 'Succeed' },
    },
  };
  return checked(machine);
}

const stepState = (definition: PipelineDefinition, step: Step, next: Step | undefined, resource: string): State => ({
  ...common,
  Resource: resource,
  Parameters: { ...ids, pipeline: definition.kind, step: step.name },
  Retry: [whenThrottled],
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: SETTLE }],
  Next: next?.name ?? SETTLED,
});

function checked(machine: StateMachine): StateMachine {
  const long = Object.keys(machine.States).find((name) => name.length > 80);
  if (long !== undefined) throw new RangeError(`the name of a step is over 80 characters: ${long}`);
  const bytes = Buffer.byteLength(JSON.stringify(machine));
  if (bytes >= MAX_DEFINITION_BYTES) throw new RangeError(`a definition of ${bytes} bytes is over the limit`);
  const events = historyBound(machine);
  if (events >= MAX_HISTORY_EVENTS) throw new RangeError(`an execution could need ${events} events of history`);
  return machine;
}

/**
 * The most events that the history of one execution can hold: no state is entered twice, each is entered and left once, and each
 * attempt is scheduled, started and ended.
 */
export function historyBound(machine: StateMachine): number {
  const startAndEnd = 2;
  return Object.values(machine.States).reduce((sum, state) => sum + eventsOf(state), startAndEnd);
}

function eventsOf(state: State): number {
  if (state.Type === 'Succeed') return 2;
  const attempts = state.Retry.reduce((sum, each) => sum + each.MaxAttempts, 1);
  return 2 + 3 * attempts;
}
