import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pipeline } from '../../../lib/pipeline/definition.ts';
import { defineStage } from '../../../lib/pipeline/stage.ts';

const count = defineStage({ name: 'count', output: z.number(), run: async (_ctx, text: string) => text.length });
const double = defineStage({ name: 'double', output: z.number(), run: async (_ctx, n: number) => 2 * n });
const shout = defineStage({ name: 'shout', output: z.string(), run: async (_ctx, text: string) => `${text}!` });
const start = () => pipeline('sample', { input: z.string(), version: '1' });

describe('a definition', () => {
  it('keeps its stages in order and groups those that share a step', () => {
    const definition = start().stage(shout).stage(count, { sharesStep: true }).stage(double);
    expect(definition.stages.map(({ name }) => name)).toEqual(['shout', 'count', 'double']);
    expect(definition.steps.map(({ name }) => name)).toEqual(['shout+count', 'double']);
    expect(definition).toMatchObject({ type: 'pipeline', kind: 'sample', version: '1' });
  });

  it('is not changed by what is built on it', () => {
    const short = start().stage(count);
    short.stage(double);
    expect(short.stages).toHaveLength(1);
  });

  it('does not compile where an output is not the next input', () => {
    // @ts-expect-error: a number is not what `shout` takes.
    start().stage(count).stage(shout);
    // @ts-expect-error: the input of the pipeline is not what its first stage takes.
    start().stage(double);
    expect(start().stage(count).stage(double).stages).toHaveLength(2);
  });

  it('refuses a second stage of the same name, and a name that keys and states cannot hold', () => {
    expect(() => start().stage(shout).stage(shout)).toThrow(/two stages named shout/);
    for (const name of ['', 'Settle', 'a/b', 'a+b', '1st', 'x'.repeat(31)]) {
      expect(() => start().stage({ ...shout, name }), name).toThrow(/not a stage name/);
    }
  });
});
