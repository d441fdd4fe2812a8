// The table's stream is the outbox; the relay turns each change of a job into a numbered event row, and does what follows from it.
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { JOB_SORT_KEY, tableSchema } from '../lib/store/table.ts';
import { acknowledge } from './acknowledge.ts';
import { allowAnnounce } from './announcements.ts';
import { failureQueue } from './failure-queue.ts';
import { ServiceFunction } from './service-function.ts';
import type { World } from './world.ts';

export class Relay extends Construct {
  readonly relay: ServiceFunction<'relay'>;
  /** Where Lambda says which records it gave up on. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string, { settings, rows, objects, doorbells }: World) {
    super(scope, id);
    this.failures = failureQueue(this, settings, 'stream');
    this.relay = new ServiceFunction(this, 'Relay', {
      name: 'relay',
      settings,
      description: 'Turns each change of a job into a numbered event row, and does what follows from it.',
      timeout: 60,
      memory: 256,
      environment: { TABLE_NAME: rows.table.tableName, BUCKET_NAME: objects.bucket.bucketName, ...doorbells.urls },
    });
    // The effects: side rows with checks of job rows, one by one or in transactions.
    rows.allow(
      this.relay,
      ...['PartiQLInsert', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
    );
    rows.allowQuery(this.relay, 'park');
    objects.allowForget(this.relay);
    doorbells.allowRing(this.relay);
    allowAnnounce(this.relay);
    // AWS asks a batch for what its statements do; the emulator asks for the operation's own name, on no table in particular.
    if (settings.target === 'local') this.relay.allow(['dynamodb:BatchExecuteStatement'], ['*']);
    const anyStream = 'ListStreams, which the event source calls, takes no resource.';
    acknowledge(this.relay.role, anyStream, 'AwsSolutions-IAM5[Resource::*]');
    this.relay.live.addEventSource(
      new DynamoEventSource(rows.table as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        // Job rows alone: its own event rows would otherwise call it again.
        filters: [
          FilterCriteria.filter({
            dynamodb: { Keys: { [tableSchema.key.sort]: { S: FilterRule.isEqual(JOB_SORT_KEY) as unknown } } },
          }),
        ],
        batchSize: 100,
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        retryAttempts: 100,
        onFailure: new SqsDlq(this.failures),
      }),
    );
  }
}
