import { Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKinds } from '../../functions/support/kinds.ts';
import { definitions } from '../../infra/definitions.ts';
import { pascal } from '../../infra/names.ts';
import { environments, type FunctionName } from '../../lib/config/environment.ts';
import { pathPart } from '../../lib/http/route.ts';
import { routes } from '../../lib/http/routes.ts';
import { actionsByFunction } from './support/actions.ts';
import { functionAt, type Synthesised, synth, synthService } from './support/synth.ts';

const names = Object.keys(environments) as FunctionName[];

let stack: Synthesised;
beforeAll(() => {
  stack = synthService();
});
afterAll(() => {
  stack[Symbol.dispose]();
});

const propertiesOf = (name: FunctionName) => functionAt(stack, `${name}.handler`)[1].Properties;
const only = (type: string) => {
  const [found, ...more] = stack.ofType(type);
  expect(more).toEqual([]);
  return found![1];
};

describe('the rules of AwsSolutions', () => {
  it('find nothing in the stack that is not acknowledged with its reason', () => {
    expect(stack.findings).toEqual([]);
  });

  it('would find something', () => {
    using bare = synth((app) => {
      const bareStack = new Stack(app, 'Bare');
      new Bucket(bareStack, 'Bucket');
      return bareStack;
    });
    expect(bare.findings).toContain('AwsSolutions-S10 Bare/Bucket/Resource');
  });
});

describe('what each function may do', () => {
  it('is exactly this', () => {
    const log = ['logs:CreateLogStream', 'logs:PutLogEvents'];
    const listens = [
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ReceiveMessage',
    ];
    const reads = ['s3:GetObject', 's3:ListBucket'];
    const writes = ['s3:AbortMultipartUpload', 's3:PutObject'];
    const removes = ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:ListBucketVersions'];
    const [get, put, update, query] = ['GetItem', 'PutItem', 'UpdateItem', 'Query'].map((each) => `dynamodb:${each}`);
    const [check, remove] = ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem'];
    const rings = ['sqs:SendMessage', 'sqs:SendMessageBatch'];
    const expected = {
      api: [
        ...[get, put, update, remove, query, check, 'dynamodb:BatchGetItem', ...reads, ...writes, ...rings],
        ...removes,
      ],
      query: [get, query, put, update, remove, ...reads, ...writes, ...rings, 's3:PutObjectTagging'],
      watch: [get, query, update, remove, ...reads, ...writes],
      worker: [
        ...[get, put, update, query, check, remove, ...reads, ...writes, ...listens, ...rings],
        ...['dynamodb:BatchGetItem', 'dynamodb:Scan', ...removes],
        ...['states:DescribeExecution', 'states:StartExecution'],
      ],
      stage: [
        ...[get, put, update, query, check, remove, ...reads, ...writes, ...rings],
        ...[...removes, 's3:PutObjectTagging'],
      ],
      settle: [get, update, query, remove, ...rings],
      reaper: [
        ...[get, put, update, query, check, remove],
        ...['sqs:GetQueueAttributes', ...rings, 'states:DescribeExecution'],
        'events:PutEvents',
      ],
      relay: [
        ...[get, put, update, query, check, remove],
        ...[...reads, 's3:DeleteObject'],
        ...['dynamodb:PartiQLInsert', 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        ...['dynamodb:ListStreams', 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl', ...rings],
        'events:PutEvents',
      ],
      'dead-letter': [get, ...listens, ...rings],
      // No object at all; what it could not submit goes to its own queue of failures, which its attributes are asked of.
      inbox: [get, put, remove, ...rings, 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'],
    };
    const sorted = Object.entries(expected).map(([name, actions]) => [name, [...actions, ...log].sort()] as const);
    expect(actionsByFunction(stack)).toEqual(Object.fromEntries(sorted));
  });

  it('lets objects be removed where they belong to jobs, indexes, tables, files, results or an area, or are manifests, by those alone who do', () => {
    const statements = stack.ofType('AWS::IAM::Policy').flatMap(([, each]) => each.Properties.PolicyDocument.Statement);
    const removing = statements.filter(({ Action }) => [Action].flat().includes('s3:DeleteObject'));
    const resources = removing.flatMap(({ Resource }) => [Resource].flat()).map((each) => JSON.stringify(each));
    const below = (folder: string): unknown =>
      expect.stringMatching(new RegExp(`Arn"\\]\\},"/\\*/${folder}/\\*"\\]\\]\\}$`));
    const manifests: unknown = expect.stringMatching(/Arn"\]\},"\/\*\/manifest\*\.json"\]\]\}$/);
    const areas = ['batch', 'inbox'].map((area): unknown =>
      expect.stringMatching(new RegExp(`Arn"\\]\\},"/${area}/\\*"`)),
    );
    // The worker purges, the stage and the api remove files, the relay what belongs to jobs.
    const folders = ['datasets', 'files', 'files', 'jobs', 'jobs', 'results', 'search', 'tables'];
    const expected = [...folders.slice(0, 5).map(below), manifests, ...folders.slice(5).map(below), ...areas];
    expect(resources.sort()).toEqual(expected);
  });

  it('leaves nothing of a result behind: the bucket removes what its tag names', () => {
    const [[, bucket] = []] = stack.ofType('AWS::S3::Bucket');
    expect(bucket?.Properties.LifecycleConfiguration.Rules).toContainEqual({
      ...{ Id: 'passing', Status: 'Enabled', ExpirationInDays: 1 },
      TagFilters: [{ Key: 'keep', Value: 'passing' }],
    });
  });

  it('ends, for queries and objects, at results', () => {
    const statements = stack.ofType('AWS::IAM::Policy').flatMap(([, each]) => each.Properties.PolicyDocument.Statement);
    const tagging = statements.filter(({ Action }) => Action.includes('s3:PutObjectTagging'));
    const results: unknown = expect.stringMatching(/Arn"\]\},"\/\*\/results\/\*"\]\]\}$/);
    // The query function, and the stage that runs queries as jobs.
    expect(tagging.map(({ Resource }) => JSON.stringify(Resource))).toEqual([results, results]);
  });

  it('is granted by a role of its own', () => {
    const roles = names.map((name) => JSON.stringify(propertiesOf(name).Role));
    expect(new Set(roles).size).toBe(names.length);
    expect(stack.ofType('AWS::IAM::ManagedPolicy')).toEqual([]);
  });
});

describe('each function', () => {
  it.each(names)('%s gets the environment that it reads, and nothing that it does not', (name) => {
    const given = Object.keys(propertiesOf(name).Environment.Variables);
    expect(given.sort()).toEqual([...environments[name], 'NODE_OPTIONS', 'POWERTOOLS_LOG_LEVEL'].sort());
  });

  it('runs on Node 24, on arm64 unless the flag says otherwise, and keeps its log for a month', () => {
    const logs = Object.fromEntries(stack.ofType('AWS::Logs::LogGroup'));
    for (const name of names) {
      const { Runtime, Architectures, LoggingConfig } = propertiesOf(name);
      expect([Runtime, Architectures]).toEqual(['nodejs24.x', ['arm64']]);
      expect(logs[LoggingConfig.LogGroup.Ref]?.Properties.RetentionInDays).toBe(30);
    }
  });

  it('may ring itself only where that is what it does', () => {
    const allowed = names.filter((name) => propertiesOf(name).RecursiveLoop === 'Allow');
    expect(allowed).toEqual(['worker', 'stage', 'settle', 'dead-letter']);
  });

  it('reserves no concurrency, since new accounts cannot, unless a flag says so', () => {
    expect(names.filter((name) => 'ReservedConcurrentExecutions' in propertiesOf(name))).toEqual([]);
  });

  it('is called through its alias by event sources, so that a deployment moves all at once', () => {
    const aliases = stack.ofType('AWS::Lambda::Alias').map(([id]) => id);
    for (const [, { Properties }] of stack.ofType('AWS::Lambda::EventSourceMapping'))
      expect(aliases).toContain(Properties.FunctionName.Ref ?? aliasOf(Properties.FunctionName));
  });
});

const aliasOf = (functionName: unknown) => /"Ref":"(\w+)"/.exec(JSON.stringify(functionName))?.[1];

describe('the table', () => {
  it('is on demand, with a stream of both images, TTL and point-in-time recovery, and outlives the stack', () => {
    const { Properties, DeletionPolicy } = only('AWS::DynamoDB::Table');
    expect(Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
    expect(Properties.GlobalSecondaryIndexes.map((index: { IndexName: string }) => index.IndexName)).toEqual([
      'due',
      'list',
      'park',
      'dead',
    ]);
    expect(DeletionPolicy).toBe('Retain');
  });
});

describe('the queues', () => {
  it('hide a message for as long as the worker may run, and give it up after a hundred deliveries', () => {
    const lanes = stack.ofType('AWS::SQS::Queue').filter(([, each]) => 'RedrivePolicy' in each.Properties);
    const { Timeout } = propertiesOf('worker');
    expect(lanes.map(([, each]) => each.Properties)).toMatchObject([
      { VisibilityTimeout: Timeout, RedrivePolicy: { maxReceiveCount: 100 } },
      { VisibilityTimeout: Timeout, RedrivePolicy: { maxReceiveCount: 100 } },
    ]);
  });

  it('are gated by their event sources, a message a call', () => {
    const sources = stack.ofType('AWS::Lambda::EventSourceMapping').map(([, each]) => each.Properties);
    const gated = sources.filter((each) => 'ScalingConfig' in each);
    const gates = gated.map(({ BatchSize, ScalingConfig }) => [BatchSize, ScalingConfig.MaximumConcurrency]);
    expect(gates).toEqual([
      [1, 50],
      [1, 10],
    ]);
    for (const each of sources) expect(each.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });
});

describe('pipelines', () => {
  it('have a state machine for each pipeline that the functions know', () => {
    const known = createKinds({} as Parameters<typeof createKinds>[0], []).pipelines.map(({ kind }) => kind);
    expect(definitions.map(({ kind }) => kind)).toEqual(known);
    expect(stack.ofType('AWS::StepFunctions::StateMachine')).toHaveLength(known.length);
  });

  it('call published versions, which stay while executions may call them', () => {
    const machines = stack.ofType('AWS::StepFunctions::StateMachine').map(([, each]) => each.Properties);
    expect(machines).toHaveLength(definitions.length);
    for (const { DefinitionString } of machines) {
      const called = [...JSON.stringify(DefinitionString).matchAll(/"Ref":"(\w+)"/g)].map(([, id]) => id!);
      expect(called.length).toBeGreaterThan(0);
      for (const id of called)
        expect(stack.resources[id]).toMatchObject({ Type: 'AWS::Lambda::Version', DeletionPolicy: 'Retain' });
    }
  });

  it('have executions that ended by themselves settled', () => {
    const rules = stack.ofType('AWS::Events::Rule').map(([, each]) => each.Properties);
    const ended = rules.find((each) => each.EventPattern?.source.includes('aws.states'));
    expect(ended?.EventPattern.detail.status).toEqual(['FAILED', 'TIMED_OUT', 'ABORTED']);
    expect(rules.find((each) => 'ScheduleExpression' in each)?.ScheduleExpression).toBe('rate(1 minute)');
  });
});

describe('the sweep', () => {
  const targetsOf = (rule: { Targets: { Arn: unknown; RetryPolicy: unknown }[] } | undefined) =>
    rule?.Targets.map(({ Arn, RetryPolicy }) => [Arn, RetryPolicy]);

  it('is started every minute, and by the rests of shards that sweeps of its own table hand on', () => {
    const rules = stack.ofType('AWS::Events::Rule').map(([, each]) => each.Properties);
    const minute = rules.find((each) => 'ScheduleExpression' in each);
    const rest = rules.find((each) => each.EventPattern?.source.includes('millrace.sweep'));
    const [[table]] = stack.ofType('AWS::DynamoDB::Table') as [[string, unknown]];
    expect(rest?.EventPattern).toEqual({
      ...{ source: ['millrace.sweep'], 'detail-type': ['sweep.rest'], detail: { table: [{ Ref: table }] } },
    });
    expect(targetsOf(rest)).toEqual(targetsOf(minute));
    expect(targetsOf(rest)).toMatchObject([[{ Ref: expect.stringContaining('Reaper') }, { MaximumRetryAttempts: 0 }]]);
  });
});

describe('the inbox', () => {
  it('is a part of the bucket of which S3 tells one function, and which empties itself', () => {
    const { NotificationConfiguration, LifecycleConfiguration } = only('AWS::S3::Bucket').Properties;
    const [told, ...more] = NotificationConfiguration.LambdaConfigurations;
    expect([more, Object.keys(NotificationConfiguration)]).toEqual([[], ['LambdaConfigurations']]);
    expect(told).toMatchObject({
      Event: 's3:ObjectCreated:*',
      Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: 'inbox/' }] } },
    });
    expect(stack.resources[told.Function.Ref]).toMatchObject({
      ...{ Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: functionAt(stack, 'inbox.handler')[0] } } },
    });
    expect(LifecycleConfiguration.Rules).toContainEqual({
      ...{ Id: 'inbox', Status: 'Enabled', ExpirationInDays: 14, Prefix: 'inbox/' },
    });
  });

  it('lets S3 call from buckets of this account alone, and is granted before the bucket asks for it', () => {
    const permissions = stack.ofType('AWS::Lambda::Permission');
    const [id, permission] = permissions.find(([, each]) => each.Properties.Principal === 's3.amazonaws.com')!;
    expect(permission.Properties).toMatchObject({
      ...{ Action: 'lambda:InvokeFunction', SourceAccount: { Ref: 'AWS::AccountId' } },
    });
    expect(only('AWS::S3::Bucket')).toMatchObject({ DependsOn: [id] });
  });

  it('keeps what its function failed at', () => {
    const config = only('AWS::Lambda::EventInvokeConfig').Properties;
    expect(config).toMatchObject({ MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 21_600 });
    const { Destination } = config.DestinationConfig.OnFailure;
    const [queue] = Destination['Fn::GetAtt'] as [string];
    expect(stack.resources[queue]).toMatchObject({ Type: 'AWS::SQS::Queue' });
    const alarms = stack.ofType('AWS::CloudWatch::Alarm').map(([, each]) => JSON.stringify(each.Properties));
    expect(alarms.some((each) => each.includes(queue))).toBe(true);
  });
});

describe('the alarms', () => {
  it('tell of a relay that is behind long before the stream forgets', () => {
    const alarms = stack.ofType('AWS::CloudWatch::Alarm').map(([, each]) => each.Properties);
    const behind = alarms.find(({ MetricName }) => MetricName === 'IteratorAge');
    const [relay] = functionAt(stack, 'relay.handler');
    expect(behind).toMatchObject({ Statistic: 'Maximum', Threshold: 3_600_000, TreatMissingData: 'notBreaching' });
    expect(behind?.Dimensions).toEqual([{ Name: 'FunctionName', Value: { Ref: relay } }]);
    expect(alarms).toHaveLength(6);
  });
});

describe('the HTTP API', () => {
  it('is given no path part that API Gateway refuses', () => {
    const parts = routes.flatMap(({ path }) => path.split('/').slice(1));
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter((part) => !pathPart.test(part))).toEqual([]);
    expect(pathPart.test('job:cancel')).toBe(false);
  });

  it('names the routes that another function serves, and sends the rest to api', () => {
    const keys = stack.ofType('AWS::ApiGatewayV2::Route').map(([, each]) => each.Properties.RouteKey as string);
    const elsewhere = routes
      .filter(({ servedBy }) => servedBy !== 'api')
      .map(({ method, path }) => `${method} ${path}`);
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(keys.sort()).toEqual(['$default', ...elsewhere].sort());
  });
});

describe('the outputs', () => {
  it('tell what an operator and the tests need', () => {
    const functions = ['Api', 'Query', 'Watch', 'Worker', 'DeadLetter', 'Stage', 'Settle', 'Reaper', 'Relay', 'Inbox'];
    const places = ['ApiUrl', 'TableName', 'BucketName', 'WorkerQueueUrl', 'WorkerDueQueueUrl', 'DeadLetterQueueUrl'];
    const machines = definitions.map(({ kind }) => `${pascal(kind)}StateMachineArn`);
    const wanted = [...places, ...machines, ...functions.map((each) => `${each}FunctionName`)];
    expect(Object.keys(stack.outputs).sort()).toEqual(wanted.sort());
  });
});
