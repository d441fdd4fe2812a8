// What a user's kinds add to the stack: their functions, queues and machines, and nothing to the rights of the rest.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withBundle } from '../../infra/bundle.ts';
import { definitions } from '../../infra/definitions.ts';
import { Millrace } from '../../infra/millrace.ts';
import { readKinds } from '../../infra/own-kinds.ts';
import { actionsOf } from './support/actions.ts';
import { type Resource, type Synthesised, synth } from './support/synth.ts';

const examples = resolve(import.meta.dirname, '../../examples/kinds.ts');

const source = (greeting: string, more = '') => `
  import { defineJob, definePipeline, defineStage, minutes, seconds } from 'millrace';
  import * as z from 'zod';
  const input = z.string();
  const job = (kind: string, more: object) => defineJob({ kind, input, run: async (_ctx, name) => '${greeting} ' + name, ...more });
  const stage = defineStage({ name: 'look', output: z.string(), run: async (_ctx, given: string) => given });
  export const kinds = [
    job('shop.long', { function: 'heavy', timeout: minutes(5) }),
    job('shop.short', { batch: true, timeout: seconds(5) }),
    job('shop.plain', {}),
    definePipeline('shop.looking', { input, version: '1', function: 'heavy' }).stage(stage),
    ${more}
  ];`;

let folder: string;
let made = 0;
const kindsFile = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

let stack: Synthesised;
let millrace: Millrace;
beforeAll(() => {
  // Within the checkout, so that the files find `millrace` and zod as any file of it does.
  folder = mkdtempSync(join(import.meta.dirname, 'kinds-'));
  stack = synth((app) => {
    const shop = new Stack(app, 'Shop');
    const vpc = Vpc.fromVpcAttributes(shop, 'Vpc', {
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['a'],
      privateSubnetIds: ['subnet-0123456789abcdef0'],
    });
    const options = { memory: 4096, timeout: 300, environment: { COLOUR: 'green' }, vpc, workers: 3, reserve: 7 };
    const kinds = kindsFile('kinds.ts', source('Hello'));
    millrace = new Millrace(shop, 'Millrace', { kinds, functions: { heavy: options } });
    Bucket.fromBucketName(shop, 'Reports', 'reports').grantPut(millrace.functionOf('shop.long'));
    return shop;
  });
});
afterAll(() => {
  stack[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

const functionNamed = (id: RegExp): Resource['Properties'] => {
  const [found, ...more] = stack.ofType('AWS::Lambda::Function').filter(([name]) => id.test(name));
  expect(more).toEqual([]);
  return found![1].Properties;
};
const actionsIn = (id: RegExp) => actionsOf(stack, functionNamed(id).Role['Fn::GetAtt'][0]);
const heavyWorker = /^MillraceWorkerOwnHeavyFunction/;
const heavyStage = /^MillracePipelinesOwnHeavyFunction/;
const sharedWorker = /^MillraceWorkerFunction|^MillraceWorkerWorkerFunction/;

describe('a function that kinds bring', () => {
  it('has the size, the network and the variables that it asks for, and a heap that fits', () => {
    for (const id of [heavyWorker, heavyStage])
      expect(functionNamed(id)).toMatchObject({
        MemorySize: 4096,
        Timeout: 300,
        ReservedConcurrentExecutions: 7,
        VpcConfig: { SubnetIds: ['subnet-0123456789abcdef0'] },
        Environment: { Variables: { COLOUR: 'green', NODE_OPTIONS: '--max-old-space-size=3072' } },
      });
    expect(functionNamed(sharedWorker).Environment.Variables).not.toHaveProperty('COLOUR');
  });

  it('may do what the shared one may for kinds of users, what its network needs, and what the app grants it; nobody else may more', () => {
    const network = actionsIn(heavyWorker).filter((action) => action.startsWith('ec2:'));
    expect(network).toHaveLength(6);
    const granted = actionsIn(heavyWorker).filter((action) => !actionsIn(sharedWorker).includes(action));
    const put = ['s3:PutObjectLegalHold', 's3:PutObjectRetention', 's3:PutObjectTagging', 's3:PutObjectVersionTagging'];
    expect(granted.filter((action) => !network.includes(action))).toEqual(['s3:Abort*', ...put]);
    // Kinds that are not users' run on the shared one alone: they look through lists of jobs, and remove what is deleted.
    const sharedOnly = actionsIn(sharedWorker).filter((action) => !actionsIn(heavyWorker).includes(action));
    expect(sharedOnly).toEqual([
      ...['dynamodb:BatchGetItem', 'dynamodb:Scan'],
      ...['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:ListBucketVersions'],
    ]);
    expect(actionsIn(heavyStage).filter((action) => action.startsWith('sqs:'))).toEqual([
      'sqs:SendMessage',
      'sqs:SendMessageBatch',
    ]);
  });

  it('hears queues of its own, hidden for as long as it may run, whose dead letters the alarm sees', () => {
    const queues = stack.ofType('AWS::SQS::Queue').filter(([id]) => id.includes('OwnHeavy'));
    expect(queues.map(([, { Properties }]) => Properties.VisibilityTimeout)).toEqual([300, 300]);
    const all = stack.ofType('AWS::SQS::Queue').map(([, { Properties }]) => Properties);
    const dead = all.flatMap(({ RedrivePolicy }) => RedrivePolicy?.deadLetterTargetArn['Fn::GetAtt'][0] ?? []);
    expect(new Set(dead).size).toBe(1);
    expect(stack.ofType('AWS::CloudWatch::Alarm').length).toBeGreaterThan(0);
  });
});

describe('the doorbells', () => {
  it('of each kind go where every function that rings is told, and batches come ten at a time', () => {
    const ringers = ['Api', 'Worker', 'Stage', 'Settle', 'Reaper', 'DeadLetter'];
    const texts = stack
      .ofType('AWS::Lambda::Function')
      .flatMap(([, { Properties }]) => Properties.Environment?.Variables.QUEUES ?? []);
    expect(texts.length).toBeGreaterThanOrEqual(ringers.length);
    expect(new Set(texts.map((text) => JSON.stringify(text))).size).toBe(1);
    expect(JSON.stringify(texts[0])).toMatch(/\\"kinds\\":\[\\"shop\.short\\"\].*\\"kinds\\":\[\\"shop\.long\\"\]/);
    const sources = stack.ofType('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);
    const gates = sources
      .filter((each) => 'ScalingConfig' in each)
      .map(({ BatchSize, ScalingConfig }) => `${BatchSize} ${ScalingConfig.MaximumConcurrency}`);
    expect(gates.sort()).toEqual(['1 10', '1 10', '1 3', '1 50', '10 50']);
  });
});

describe('a pipeline of the user', () => {
  it('has a machine, whose steps call its own function', () => {
    const machines = stack.ofType('AWS::StepFunctions::StateMachine');
    expect(machines).toHaveLength(definitions.length + 1);
    const looking = machines.find(([id]) => id.includes('ShopLooking'));
    const called = JSON.stringify(looking?.[1].Properties.DefinitionString);
    expect(called).toContain('PipelinesOwnHeavyFunctionCurrentVersion');
    expect(called).not.toContain('PipelinesStageFunctionCurrentVersion');
  });
});

describe('the rules of AwsSolutions', () => {
  it('find nothing in what the user brings, but what their own grant opens', () => {
    expect(stack.findings.filter((finding) => !/IAM5.*OwnHeavy/.test(finding))).toEqual([]);
  });
});

describe('the code of the kinds', () => {
  const hashOf = (entry: string, file?: string) =>
    withBundle({ entries: [entry], native: false, arch: 'arm64', kindsFile: file }, ({ hash }) => hash);

  it('changes the functions that know kinds, and no other', () => {
    const [one, other] = [kindsFile('one.ts', source('Hello')), kindsFile('other.ts', source('Good day'))];
    expect(hashOf('functions/worker', one)).not.toBe(hashOf('functions/worker', other));
    expect(hashOf('functions/worker', one)).not.toBe(hashOf('functions/worker'));
    expect(hashOf('functions/settle', one)).toBe(hashOf('functions/settle', other));
  });
});

describe('a file of kinds', () => {
  it('is read from a path or a URL', () => {
    const names = readKinds(examples).kinds.map(({ kind }) => kind);
    expect(names).toContain('report.monthly');
    expect(readKinds(new URL(`file://${examples}`)).kinds.map(({ kind }) => kind)).toEqual(names);
  });

  it.each([
    ['export const jobs = [];', 'must export `kinds`: an array of what defineJob'],
    ['export const kinds = await Promise.resolve([]);', 'cannot be loaded: it waits (`await`) at its top level'],
    ["import { nothing } from './nothing.ts'; export const kinds = [nothing];", /cannot be loaded: .*nothing\.ts/],
    [source('Hello', "job('shop.plain', {}),"), 'two kinds share the name "shop.plain"'],
    [source('Hello', "job('ingest', {}),"), 'two kinds share the name "ingest"'],
    [source('Hello', "job('shop.other', { function: 'stage' }),"), 'cannot be named "stage"'],
    [source('Hello', "definePipeline('shop.empty', { input, version: '1' }) as never,"), 'must export `kinds`'],
  ])('that cannot be deployed is refused when the stack is built (%#)', (text, message) => {
    const file = kindsFile(`refused-${(made += 1)}.ts`, text);
    expect(() => readKinds(file)).toThrow(message);
  });

  it('is missed by name where it is not there, and so is a function that no kind names', () => {
    expect(() => readKinds(join(folder, 'gone.ts'))).toThrow(/gone\.ts cannot be loaded/);
    expect(() => readKinds(examples, { huge: { memory: 10_240 } })).toThrow('No kind names the function "huge"');
  });

  it('tells which kinds there are to who asks for the function of another', () => {
    expect(() => millrace.functionOf('shop.none')).toThrow('no kind "shop.none" among yours: shop.long, shop.short');
  });
});
