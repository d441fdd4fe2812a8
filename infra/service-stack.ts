// The whole service, composed; each capability is a construct of its own.
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { PipelineDefinition } from '../lib/pipeline/definition.ts';
import { Alarms } from './alarms.ts';
import { Api } from './api.ts';
import { ObjectBucket } from './bucket.ts';
import { Pipelines } from './pipelines.ts';
import { DoorbellQueues } from './queues.ts';
import { Relay } from './relay.ts';
import type { Settings } from './settings.ts';
import { Sweep } from './sweep.ts';
import { JobTable } from './table.ts';
import { Worker, workerTimeout } from './worker.ts';
import type { World } from './world.ts';

export interface ServiceStackProps extends StackProps {
  readonly settings: Settings;
  /** The pipelines that the registry of the functions knows. */
  readonly definitions: readonly PipelineDefinition[];
}

export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, definitions, ...props }: ServiceStackProps) {
    super(scope, id, { description: 'Millrace: durable jobs and staged data pipelines', ...props });
    const rows = new JobTable(this, 'Rows', settings);
    const objects = new ObjectBucket(this, 'Objects', settings);
    const doorbells = new DoorbellQueues(this, 'Doorbells', { settings, workerTimeout, own: [], batched: [] });
    const world: World = { settings, rows, objects, doorbells };
    const pipelines = new Pipelines(this, 'Pipelines', world, definitions);
    const worker = new Worker(this, 'Worker', world, pipelines);
    const api = new Api(this, 'Api', world);
    const sweep = new Sweep(this, 'Sweep', world, pipelines);
    const relay = new Relay(this, 'Relay', world);
    new Alarms(this, 'Alarms', { settings, relayFailures: relay.failures });

    const functions = { ...api.functions, ...worker.functions, ...pipelines.functions };
    const more = { Reaper: sweep.reaper, Relay: relay.relay };
    this.#tell({
      ApiUrl: api.url,
      TableName: rows.table.tableName,
      BucketName: objects.bucket.bucketName,
      WorkerQueueUrl: doorbells.worker.default.queueUrl,
      WorkerDueQueueUrl: doorbells.worker.due.queueUrl,
      DeadLetterQueueUrl: doorbells.dead.queueUrl,
      ...pipelines.outputs,
      ...Object.fromEntries(
        Object.entries({ ...functions, ...more }).map(([name, each]) => [
          `${name}FunctionName`,
          each.lambda.functionName,
        ]),
      ),
    });
  }

  #tell(outputs: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
