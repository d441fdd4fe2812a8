// The inbox of the bucket: S3 calls a function with what is put there, and that submits a job. S3 waits for no queue to be polled, which
// would cost while nothing is dropped; what the function fails at three times stands in a queue of failures.
import { Duration } from 'aws-cdk-lib';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { failureQueue } from './failure-queue.ts';
import { ServiceFunction } from './service-function.ts';
import type { World } from './world.ts';

export class Inbox extends Construct {
  readonly inbox: ServiceFunction<'inbox'>;
  /** Events that did not become jobs, as Lambda puts them. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string, { settings, rows, objects, doorbells }: World) {
    super(scope, id);
    this.failures = failureQueue(this, settings, 'function');
    this.inbox = new ServiceFunction(this, 'Inbox', {
      name: 'inbox',
      settings,
      description: 'Submits a job for each object that is put into the inbox of the bucket.',
      timeout: 60,
      memory: 256,
      environment: {
        TABLE_NAME: rows.table.tableName,
        TENANT_CAP: String(settings.tenantCap),
        ...doorbells.urls,
      },
    });
    rows.allow(this.inbox, 'GetItem', 'PutItem', 'DeleteItem');
    doorbells.allowRing(this.inbox);
    this.inbox.live.configureAsyncInvoke({
      retryAttempts: 2,
      maxEventAge: Duration.hours(6),
      onFailure: new SqsDestination(this.failures),
    });
    objects.tellInbox(this.inbox);
  }
}
