import { App } from 'aws-cdk-lib';
import { afterEach, describe, expect, it } from 'vitest';
import { embedderOf } from '../../infra/embedder.ts';
import { readSettings } from '../../infra/settings.ts';
import { functionAt, type Synthesised, synthService } from './support/synth.ts';

let stack: Synthesised;
afterEach(() => {
  stack[Symbol.dispose]();
});

const model = 'amazon.nova-lite-v1:0';
const titan = 'amazon.titan-embed-text-v2:0';
const cohere = 'cohere.embed-v4:0';
const told = (name: string, variable: string): unknown => {
  const { Environment } = functionAt(stack, `${name}.handler`)[1].Properties as {
    readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
  };
  return JSON.parse(Environment.Variables[variable] ?? '');
};

/** The models and profiles that each policy lets its function call, by the function's role. */
function callable(): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [id, { Properties }] of stack.ofType('AWS::IAM::Policy')) {
    const { Statement } = Properties.PolicyDocument as {
      readonly Statement: readonly { readonly Action: string | readonly string[]; readonly Resource: unknown }[];
    };
    const statements = Statement.filter(({ Action }) => JSON.stringify(Action).includes('bedrock:'));
    if (statements.length === 0) continue;
    expect(statements.map(({ Action }) => [Action].flat())).toEqual(statements.map(() => ['bedrock:InvokeModel']));
    const text = JSON.stringify(statements.map(({ Resource }) => Resource));
    const named = text.matchAll(/:bedrock:([\w*-]*)[^/]*?((?:foundation-model|inference-profile)\/[\w.:-]+)/g);
    const name = /(Stage|Worker|Query|Api|Watch)Role/.exec(id)?.[1] ?? id;
    found[name] = [...named].map(([, region = '', resource]) => `${region || "the stack's"} ${resource}`).sort();
  }
  return found;
}

// That nobody may call a model by default is in the list of what each function may do (stack.test.ts).
describe('models of Bedrock', () => {
  it('are the ones named, which the functions that ask them alone may call, and no other', () => {
    stack = synthService({ describeModel: model, describeRegion: 'eu-central-1', embedModel: titan });
    const budgets = { runCents: 50, monthCents: 1000 };
    expect(told('stage', 'DESCRIBER')).toEqual({ model, region: 'eu-central-1', ...budgets });
    for (const name of ['worker', 'query']) expect(told(name, 'EMBEDDER')).toEqual({ model: titan, ...budgets });
    expect(callable()).toEqual({
      Stage: [`eu-central-1 foundation-model/${model}`],
      Worker: [`the stack's foundation-model/${titan}`],
      Query: [`the stack's foundation-model/${titan}`],
    });
    expect(stack.findings).toEqual([]);
  });

  it('may be inference profiles, which need their model in the regions that they name', () => {
    const embed = { embedModel: `eu.${cohere}`, embedRegion: 'eu-west-1', embedDimensions: '256' };
    stack = synthService({ describeModel: `eu.${model}`, ...embed });
    expect(told('query', 'EMBEDDER')).toMatchObject({ region: 'eu-west-1', dimensions: 256 });
    const ofEmbedding = [`* foundation-model/${cohere}`, `eu-west-1 inference-profile/eu.${cohere}`];
    expect(callable()).toEqual({
      Stage: [`the stack's inference-profile/eu.${model}`, `* foundation-model/${model}`].sort(),
      Worker: ofEmbedding,
      Query: ofEmbedding,
    });
    expect(stack.findings).toEqual([]);
  });
});

describe('an embedding model', () => {
  const read = (context: Record<string, string>) => embedderOf(readSettings(new App({ context }).node));

  it('is refused where it is none that can be asked, or has no such dimensions', () => {
    expect(read({})).toBeNull();
    expect(() => read({ embedModel: model })).toThrow('none of the embedding models');
    expect(() => read({ embedModel: titan, embedDimensions: '100' })).toThrow('has 256, 512, 1024 dimensions.');
  });
});
