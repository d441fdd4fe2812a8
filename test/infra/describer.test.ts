import { afterEach, describe, expect, it } from 'vitest';
import { actionsByFunction } from './support/actions.ts';
import { functionAt, type Synthesised, synthService } from './support/synth.ts';

let stack: Synthesised;
afterEach(() => {
  stack[Symbol.dispose]();
});

const model = 'amazon.nova-lite-v1:0';
const describerOf = () => {
  const { Environment } = functionAt(stack, 'stage.handler')[1].Properties as {
    Environment: { Variables: { DESCRIBER: string } };
  };
  return Environment.Variables.DESCRIBER;
};
const policies = () => JSON.stringify(stack.ofType('AWS::IAM::Policy'));

// That there is none by default is in the list of what each function may do (stack.test.ts).
describe('the model that describes tables', () => {
  it('is the one named, which the stage function alone may call, and no other', () => {
    stack = synthService({ describeModel: model, describeRegion: 'eu-central-1' });
    expect(JSON.parse(describerOf())).toEqual({ model, region: 'eu-central-1', runCents: 50, monthCents: 1000 });
    const may = Object.entries(actionsByFunction(stack)).filter(([, actions]) =>
      actions.includes('bedrock:InvokeModel'),
    );
    expect(may.map(([name]) => name)).toEqual(['stage']);
    expect(policies()).toContain(`:bedrock:eu-central-1::foundation-model/${model}`);
    expect(policies()).not.toContain('inference-profile');
    expect(stack.findings).toEqual([]);
  });

  it('may be an inference profile, which needs its model in the regions that it names', () => {
    stack = synthService({ describeModel: `eu.${model}` });
    expect(policies()).toContain(`inference-profile/eu.${model}`);
    expect(policies()).toContain(`:bedrock:*::foundation-model/${model}`);
    expect(stack.findings).toEqual([]);
  });
});
