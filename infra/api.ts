// The HTTP API. Everything goes to the api function, which knows its routes and answers for unknown ones too; routes that
// another function serves are named one by one.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { routes } from '../lib/http/routes.ts';
import { acknowledge } from './acknowledge.ts';
import { embedderOf } from './embedder.ts';
import { allowModel } from './models.ts';
import { ServiceFunction } from './service-function.ts';
import type { World } from './world.ts';

/** MiB of memory of the query function; DuckDB gets the part that Node and the answer leave. */
const queryMemory = 2048;
const duckDbMemoryMb = 1200;
/** MiB: an answer as text and what it is made of; the rest is the process that queries. */
const queryHeap = 384;

export class Api extends Construct {
  readonly functions: {
    readonly Api: ServiceFunction<'api'>;
    readonly Query: ServiceFunction<'query'>;
    readonly Watch: ServiceFunction<'watch'>;
  };
  /** Without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, world: World) {
    super(scope, id);
    this.functions = { Api: this.#api(world), Query: this.#query(world), Watch: this.#watch(world) };
    const http = new HttpApi(this, 'Http', {
      createDefaultStage: false,
      disableExecuteApiEndpoint: false,
      defaultAuthorizer: new HttpNoneAuthorizer(),
      defaultIntegration: new HttpLambdaIntegration('ToApi', this.functions.Api.live),
    });
    const elsewhere = {
      query: new HttpLambdaIntegration('ToQuery', this.functions.Query.live),
      watch: new HttpLambdaIntegration('ToWatch', this.functions.Watch.live),
    };
    for (const { method, path, servedBy } of routes)
      if (servedBy !== 'api') http.addRoutes({ path, methods: [HttpMethod[method]], integration: elsewhere[servedBy] });
    const ownKeys = 'The functions check the API key themselves: keys are rows of the table, and health is public.';
    for (const child of http.node.findAll())
      if (child.node.id === 'Resource') acknowledge(child, ownKeys, 'AwsSolutions-APIG4');
    this.url = http.apiEndpoint;
    this.#stage(http);
  }

  #stage(httpApi: HttpApi): void {
    const logGroup = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new HttpStage(this, 'Stage', {
      httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { burstLimit: 1000, rateLimit: 500 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        format: AccessLogFormat.clf(),
      },
    });
  }

  #api({ settings, rows, objects, doorbells, kinds }: World): ServiceFunction<'api'> {
    const api = new ServiceFunction(this, 'Api', {
      name: 'api',
      settings,
      description: 'The HTTP API, but for SQL.',
      timeout: 29,
      memory: 512,
      kindsFile: kinds.file,
      environment: {
        TABLE_NAME: rows.table.tableName,
        BUCKET_NAME: objects.bucket.bucketName,
        TENANT_CAP: String(settings.tenantCap),
        WORKSPACE_BYTES: String(settings.workspaceBytes),
        ...doorbells.urls,
      },
    });
    rows.allow(api, 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem', 'Query', 'BatchGetItem');
    rows.allowQuery(api, 'list');
    rows.allowQuery(api, 'park');
    rows.allowQuery(api, 'dead');
    rows.allowQuery(api, 'due');
    objects.allowRead(api);
    objects.allowWrite(api);
    objects.allowRemoveFiles(api);
    doorbells.allowRing(api);
    return api;
  }

  #query({ settings, rows, objects, doorbells }: World): ServiceFunction<'query'> {
    const embedder = embedderOf(settings);
    const query = new ServiceFunction(this, 'Query', {
      name: 'query',
      settings,
      description: 'Answers SQL on published tables.',
      timeout: 29,
      memory: queryMemory,
      disk: 4096,
      besides: ['lib/query/query-worker'],
      heap: queryHeap,
      usesDuckDb: true,
      environment: {
        TABLE_NAME: rows.table.tableName,
        BUCKET_NAME: objects.bucket.bucketName,
        DUCKDB_MEMORY_MB: String(duckDbMemoryMb),
        EMBEDDER: JSON.stringify(embedder),
        TENANT_CAP: String(settings.tenantCap),
        ...doorbells.urls,
      },
    });
    // It saves queries, and submits derived tables, both of which it has to check first.
    rows.allow(query, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    objects.allowRead(query);
    objects.allowResults(query);
    allowModel(query, embedder);
    doorbells.allowRing(query);
    return query;
  }
  #watch({ settings, rows, objects }: World): ServiceFunction<'watch'> {
    const watch = new ServiceFunction(this, 'Watch', {
      name: 'watch',
      settings,
      description: 'The routes whose callers wait for a job.',
      timeout: 29,
      memory: 256,
      environment: {
        TABLE_NAME: rows.table.tableName,
        BUCKET_NAME: objects.bucket.bucketName,
        WATCHERS: String(settings.watchers),
      },
    });
    // A place of a waiter is a row that it writes and takes away; the secret that cursors are signed with is drawn by whoever needs it first.
    rows.allow(watch, 'GetItem', 'Query', 'UpdateItem', 'DeleteItem');
    objects.allowRead(watch);
    objects.allowWrite(watch);
    return watch;
  }
}
