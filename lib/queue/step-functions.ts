// Executions on Step Functions: one standard execution a claim of a pipeline's job, named after the job and its epoch.
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { isOutage } from '../core/outage.ts';
import type { Doorbell, Executions, ProbeAnswer } from '../job/ports.ts';
import { executionInput, executionName } from '../pipeline/calls.ts';

export interface StepFunctionsOptions {
  readonly client: Pick<SFNClient, 'send'>;
  /** The ARN of the state machine of each pipeline kind. */
  readonly machines: Readonly<Record<string, string>>;
}

export function createStepFunctions({ client, machines }: StepFunctionsOptions): Executions {
  return {
    start: async (bell, pipeline) => {
      const stateMachineArn = machines[pipeline];
      if (stateMachineArn === undefined) throw new TypeError(`no state machine runs the pipeline ${pipeline}`);
      const input = executionInput(bell);
      try {
        await client.send(new StartExecutionCommand({ stateMachineArn, name: executionName(bell), input }));
      } catch (thrown) {
        if (!(thrown instanceof ExecutionAlreadyExists)) throw thrown;
        await expectOurs(client, executionArn(stateMachineArn, bell), input);
      }
    },
    probe: async (bell, pipeline) => {
      const machine = machines[pipeline];
      // A pipeline that is no longer deployed runs nowhere; the worker says that nobody handles its kind.
      return machine === undefined ? 'gone' : probe(client, executionArn(machine, bell));
    },
  };
}

const executionArn = (machineArn: string, bell: Doorbell): string =>
  `${machineArn.replace(':stateMachine:', ':execution:')}:${executionName(bell)}`;

/** An execution that exists already was started by an earlier send of the same call, whose answer was lost. */
async function expectOurs(client: StepFunctionsOptions['client'], arn: string, input: string): Promise<void> {
  const found = await client.send(new DescribeExecutionCommand({ executionArn: arn }));
  if (found.input !== input) throw new Error(`${arn} exists with another input`);
}

async function probe(client: StepFunctionsOptions['client'], arn: string): Promise<ProbeAnswer> {
  try {
    const { status } = await client.send(new DescribeExecutionCommand({ executionArn: arn }));
    return status === 'RUNNING' || status === 'PENDING_REDRIVE' ? 'running' : 'gone';
  } catch (thrown) {
    if (thrown instanceof ExecutionDoesNotExist) return 'gone';
    if (isOutage(thrown)) return 'unknown';
    throw thrown;
  }
}
