// Who hears doorbells: the worker on both lanes, and the dead-letter function for those that no worker could hear.
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import type { Pipelines } from './pipelines.ts';
import { ServiceFunction } from './service-function.ts';
import type { World } from './world.ts';

/** Seconds: the most that Lambda gives, since a kind may take as long as it likes within it. */
export const workerTimeout = 900;

export class Worker extends Construct {
  readonly functions: {
    readonly Worker: ServiceFunction<'worker'>;
    readonly DeadLetter: ServiceFunction<'dead-letter'>;
  };

  constructor(scope: Construct, id: string, world: World, pipelines: Pipelines) {
    super(scope, id);
    this.functions = { Worker: this.#worker(world, pipelines), DeadLetter: this.#deadLetter(world) };
  }

  #worker({ settings, rows, objects, doorbells }: World, pipelines: Pipelines): ServiceFunction<'worker'> {
    const worker = new ServiceFunction(this, 'Worker', {
      name: 'worker',
      settings,
      description: 'Claims and runs the job of a doorbell.',
      timeout: workerTimeout,
      memory: 1024,
      besides: ['functions/support/heartbeat-thread.ts'],
      ringsItself: true,
      reserve: settings.reserve,
      environment: {
        TABLE_NAME: rows.table.tableName,
        BUCKET_NAME: objects.bucket.bucketName,
        STATE_MACHINES: pipelines.arnsByKind,
        ...doorbells.urls,
      },
    });
    rows.allow(worker, 'GetItem', 'PutItem', 'UpdateItem');
    objects.allowRead(worker);
    objects.allowWrite(worker);
    doorbells.allowRing(worker);
    pipelines.allowStart(worker);
    const { default: lane, due } = doorbells.worker;
    // The event sources grant receiving, deleting and changing visibility on their own queue.
    worker.live.addEventSource(
      new SqsEventSource(lane, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: settings.workers }),
    );
    worker.live.addEventSource(
      new SqsEventSource(due, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: settings.dueWorkers }),
    );
    return worker;
  }

  #deadLetter({ settings, rows, doorbells }: World): ServiceFunction<'dead-letter'> {
    const deadLetter = new ServiceFunction(this, 'DeadLetter', {
      name: 'dead-letter',
      settings,
      description: 'Alarms for a doorbell that no worker could hear, and rings again if its job still waits.',
      timeout: 60,
      memory: 256,
      ringsItself: true,
      environment: { TABLE_NAME: rows.table.tableName, ...doorbells.urls },
    });
    rows.allow(deadLetter, 'GetItem');
    doorbells.allowRing(deadLetter);
    deadLetter.live.addEventSource(
      new SqsEventSource(doorbells.dead, { batchSize: 10, reportBatchItemFailures: true }),
    );
    return deadLetter;
  }
}
