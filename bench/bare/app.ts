// The bare baseline: HTTP API → function → SendMessage → function → PutItem, and nothing else. What Millrace costs is measured against it.
import { join } from 'node:path';
import {
  App,
  CfnOutput,
  CliCredentialsStackSynthesizer,
  Duration,
  type IStackSynthesizer,
  RemovalPolicy,
  Stack,
} from 'aws-cdk-lib';
import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';

const app = new App();
const stack = new Stack(app, 'MillraceBare', {
  synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer,
});

const table = new Table(stack, 'Table', {
  partitionKey: { name: 'id', type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  removalPolicy: RemovalPolicy.DESTROY,
});
const queue = new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(30) });

const bareFunction = (name: string, environment: Record<string, string>) =>
  new NodejsFunction(stack, name, {
    entry: join(import.meta.dirname, `${name}.ts`),
    runtime: Runtime.NODEJS_24_X,
    architecture: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
    memorySize: 512,
    timeout: Duration.seconds(30),
    environment,
    bundling: {
      format: OutputFormat.ESM,
      bundleAwsSDK: true,
      banner: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });

const api = bareFunction('api', { QUEUE_URL: queue.queueUrl });
const worker = bareFunction('worker', { TABLE_NAME: table.tableName });
queue.grantSendMessages(api);
table.grantWriteData(worker);
worker.addEventSource(new SqsEventSource(queue, { batchSize: 1 }));

const http = new HttpApi(stack, 'Http');
http.addRoutes({
  path: '/jobs',
  methods: [HttpMethod.POST],
  integration: new HttpLambdaIntegration('Api', api),
});
new CfnOutput(stack, 'BareApiUrl', { value: http.apiEndpoint });
new CfnOutput(stack, 'BareTableName', { value: table.tableName });
