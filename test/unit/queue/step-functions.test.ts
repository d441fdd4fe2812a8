import { ExecutionAlreadyExists, ExecutionDoesNotExist } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import type { Epoch, JobId, TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import { createStepFunctions } from '../../../lib/queue/step-functions.ts';

const bell: Doorbell = {
  ref: { tenant: 'acme' as TenantId, workspace: 'main' as WorkspaceId, id: 'job_1' as JobId },
  epoch: 1001 as Epoch,
};
const machines = { ingest: 'arn:aws:states:us-east-1:1:stateMachine:ingest' };
const arn = 'arn:aws:states:us-east-1:1:execution:ingest:job_1-1001';
const input = '{"tenant":"acme","workspace":"main","id":"job_1","epoch":1001}';
const about = { $metadata: {}, message: '' };

/** Answers each command by its name; an Error is thrown. */
function executions(answers: Record<string, unknown>) {
  const sent: { name: string; input: unknown }[] = [];
  const send = async (command: { constructor: { name: string }; input: unknown }) => {
    const { name } = command.constructor;
    sent.push({ name, input: command.input });
    if (answers[name] instanceof Error) throw answers[name];
    return answers[name] ?? {};
  };
  return { sent, ...createStepFunctions({ client: { send }, machines }) };
}

describe('starting an execution', () => {
  it('names it after the job and the epoch, and gives it ids alone', async () => {
    const { start, sent } = executions({});
    await start(bell, 'ingest');
    expect(sent).toEqual([
      { name: 'StartExecutionCommand', input: { stateMachineArn: machines.ingest, name: 'job_1-1001', input } },
    ]);
  });

  it('counts as done when it exists with our input, and not with another', async () => {
    const exists = new ExecutionAlreadyExists(about);
    await executions({ StartExecutionCommand: exists, DescribeExecutionCommand: { input } }).start(bell, 'ingest');
    const foreign = executions({ StartExecutionCommand: exists, DescribeExecutionCommand: { input: '{}' } });
    await expect(foreign.start(bell, 'ingest')).rejects.toThrow('another input');
  });

  it('fails for a pipeline without a machine, and when the service refuses', async () => {
    await expect(executions({}).start(bell, 'unknown')).rejects.toThrow('no state machine');
    const denied = executions({ StartExecutionCommand: new Error('denied') });
    await expect(denied.start(bell, 'ingest')).rejects.toThrow('denied');
  });
});

describe('probing an execution', () => {
  const probing = (answer: unknown) => executions({ DescribeExecutionCommand: answer });

  it('says running only while it runs', async () => {
    const running = probing({ status: 'RUNNING' });
    expect(await running.probe(bell, 'ingest')).toBe('running');
    expect(running.sent).toEqual([{ name: 'DescribeExecutionCommand', input: { executionArn: arn } }]);
    for (const status of ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'])
      expect(await probing({ status }).probe(bell, 'ingest')).toBe('gone');
  });

  it('says gone when there is none, and when the pipeline is no longer deployed', async () => {
    expect(await probing(new ExecutionDoesNotExist(about)).probe(bell, 'ingest')).toBe('gone');
    expect(await probing({ status: 'RUNNING' }).probe(bell, 'unknown')).toBe('gone');
  });

  it('says unknown when the service throttles, and throws when it refuses', async () => {
    const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    expect(await probing(throttled).probe(bell, 'ingest')).toBe('unknown');
    await expect(probing(new Error('denied')).probe(bell, 'ingest')).rejects.toThrow('denied');
  });
});
