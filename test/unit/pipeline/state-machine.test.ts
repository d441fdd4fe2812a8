import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pipeline, type PipelineDefinition } from '../../../lib/pipeline/definition.ts';
import { defineStage } from '../../../lib/pipeline/stage.ts';
import { historyBound, MAX_HISTORY_EVENTS, stateMachine } from '../../../lib/pipeline/state-machine.ts';

const functions = {
  stageFunctionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:stage:7',
  settleFunctionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:settle:4',
};
const stage = (name: string) => defineStage({ name, output: z.string(), run: async (_ctx, text: string) => text });

function withSteps(count: number): PipelineDefinition {
  let definition = pipeline('long', { input: z.string(), version: '3' }).stage(stage('s0'));
  for (let index = 1; index < count; index++) definition = definition.stage(stage(`s${index}`));
  return definition;
}

const machine = stateMachine(
  pipeline('letters', { input: z.string(), version: '3' })
    .stage(stage('a'))
    .stage(stage('b'), { sharesStep: true })
    .stage(stage('c')),
  functions,
);
const tasks = Object.entries(machine.States).flatMap(([name, state]) =>
  state.Type === 'Task' ? [{ name, state }] : [],
);

describe('a state machine', () => {
  it('runs the steps in order on the published version of the stage function', () => {
    expect(machine.StartAt).toBe('a+b');
    expect(tasks.map(({ name, state }) => [name, state.Resource, state.Next])).toEqual([
      ['a+b', functions.stageFunctionArn, 'c'],
      ['c', functions.stageFunctionArn, 'Settled'],
      ['Settle', functions.settleFunctionArn, 'Settled'],
    ]);
    expect(machine.States.Settled).toEqual({ Type: 'Succeed' });
  });

  it('passes ids, the epoch and names, and throws every answer away', () => {
    for (const { name, state } of tasks) {
      const ids = { 'tenant.$': '$.tenant', 'workspace.$': '$.workspace', 'id.$': '$.id', 'epoch.$': '$.epoch' };
      const more = name === 'Settle' ? { 'error.$': '$.error' } : { pipeline: 'letters', step: name };
      expect(state.Parameters).toEqual({ ...ids, ...more });
      expect(state.ResultPath).toBeNull();
    }
  });

  it('sends a throttled invocation again for about an hour, and nothing else, since a stage may still run', () => {
    for (const { state } of tasks.filter(({ name }) => name !== 'Settle')) {
      expect(state.Retry).toHaveLength(1);
      const [retry] = state.Retry;
      expect(retry?.ErrorEquals).toEqual(['Lambda.TooManyRequestsException', 'Lambda.EC2ThrottledException']);
      expect(retry?.JitterStrategy).toBe('FULL');
      const waits = Array.from({ length: retry?.MaxAttempts ?? 0 }, (_, n) => Math.min(60, 2 ** n) / 2);
      const expected = waits.reduce((sum, wait) => sum + wait, 0);
      expect(expected).toBeGreaterThan(45 * 60);
      expect(expected).toBeLessThan(75 * 60);
    }
  });

  it('catches everything into the settle state, and sends a failed settle again', () => {
    for (const { name, state } of tasks) {
      if (name === 'Settle') expect(state.Retry.map(({ ErrorEquals }) => ErrorEquals)).toContainEqual(['States.ALL']);
      else expect(state.Catch).toEqual([{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Settle' }]);
    }
  });

  it('cannot run out of history: each state is entered once, and all their events fit', () => {
    const seen = new Set<string>();
    for (let at: string | undefined = machine.StartAt; at !== undefined; ) {
      expect(seen.has(at)).toBe(false);
      seen.add(at);
      const state: (typeof machine.States)[string] | undefined = machine.States[at];
      at = state?.Type === 'Task' ? state.Next : undefined;
    }
    expect(historyBound(machine)).toBeLessThan(MAX_HISTORY_EVENTS);
    expect(historyBound(stateMachine(withSteps(60), functions))).toBeLessThan(MAX_HISTORY_EVENTS);
  });

  it('is refused where its history or a name could break an execution', () => {
    expect(() => stateMachine(withSteps(70), functions)).toThrow(/events of history/);
    const wordy = pipeline('wordy', { input: z.string(), version: '1' })
      .stage(stage('a'.repeat(30)))
      .stage(stage('b'.repeat(30)), { sharesStep: true })
      .stage(stage('c'.repeat(30)), { sharesStep: true });
    expect(() => stateMachine(wordy, functions)).toThrow(/over 80 characters/);
  });
});
