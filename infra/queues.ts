// Doorbells: a queue for each lane of the worker, and one for those that no worker could hear.
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { ServiceFunction } from './service-function.ts';
import { type Settings, tlsOnly } from './settings.ts';

/** Many: the row counts attempts, so a message must not die of them. */
const maxReceiveCount = 100;

export class DoorbellQueues extends Construct {
  readonly default: Queue;
  readonly due: Queue;
  readonly dead: Queue;

  /** `visibility`: the time-out of the function that hears, in seconds. */
  constructor(scope: Construct, id: string, settings: Settings, visibility: number) {
    super(scope, id);
    this.dead = new Queue(this, 'Dead', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: tlsOnly(settings),
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(60),
    });
    acknowledge(this.dead, 'It is the dead-letter queue.', 'AwsSolutions-SQS3');
    this.default = this.#lane('Worker', settings, visibility);
    this.due = this.#lane('WorkerDue', settings, visibility);
  }

  /** For `environment` of whoever rings. */
  get urls() {
    return { WORKER_QUEUE_URL: this.default.queueUrl, WORKER_DUE_QUEUE_URL: this.due.queueUrl };
  }

  allowRing(user: ServiceFunction): void {
    user.allow(['sqs:SendMessage'], [this.default.queueArn, this.due.queueArn]);
  }

  allowDepth(user: ServiceFunction): void {
    user.allow(['sqs:GetQueueAttributes'], [this.default.queueArn, this.due.queueArn]);
  }

  #lane(id: string, settings: Settings, visibility: number): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: tlsOnly(settings),
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(visibility),
      deadLetterQueue: { queue: this.dead, maxReceiveCount },
    });
  }
}
