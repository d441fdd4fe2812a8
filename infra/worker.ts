// Who hears doorbells: the worker on both lanes, each function that a kind brings on lanes of its own, and the dead-letter function for
// those that nobody could hear.
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { EmbedderConfig } from '../lib/config/embedder.ts';
import { embedderOf } from './embedder.ts';
import { allowModel } from './models.ts';
import { pascal } from './names.ts';
import type { OwnFunction, OwnFunctionOptions } from './own-kinds.ts';
import type { Pipelines } from './pipelines.ts';
import { ServiceFunction } from './service-function.ts';
import type { World } from './world.ts';

/** Seconds: the most that Lambda gives, since a kind may take as long as it likes within it. */
export const workerTimeout = 900;
const workerMemory = 1024;
/** Doorbells of short jobs that one invocation hears side by side. */
const batchSize = 10;

interface Hearing {
  readonly description: string;
  readonly lanes: { readonly default: Queue; readonly due: Queue };
  readonly options: OwnFunctionOptions;
  /** The model that its kinds may ask. */
  readonly embedder?: EmbedderConfig | null;
}

export class Worker extends Construct {
  readonly functions: {
    readonly Worker: ServiceFunction<'worker'>;
    readonly DeadLetter: ServiceFunction<'dead-letter'>;
  };
  /** By the name that the kinds give them. */
  readonly own: ReadonlyMap<string, ServiceFunction<'worker'>>;

  constructor(scope: Construct, id: string, world: World, pipelines: Pipelines) {
    super(scope, id);
    const { kinds, doorbells } = world;
    const description = 'Claims and runs the job of a doorbell.';
    const embedder = embedderOf(world.settings);
    const hearing = { description, lanes: doorbells.worker, options: {}, embedder };
    const worker = this.#hearer('Worker', world, pipelines, hearing);
    // The engine's own kinds run here: they look through lists of jobs, and through everything for what a workspace left.
    world.rows.allow(worker, 'BatchGetItem', 'Scan');
    world.objects.allowPurge(worker);
    for (const index of ['list', 'dead'] as const) world.rows.allowQuery(worker, index);
    if (doorbells.batch !== undefined) hear(worker, doorbells.batch, world.settings.workers, batchSize);
    this.functions = { Worker: worker, DeadLetter: this.#deadLetter(world) };
    const own = kinds.functions.filter(({ jobs }) => jobs.length > 0);
    this.own = new Map(own.map((each) => [each.name, this.#own(each, world, pipelines)]));
  }

  #own({ name, options, jobs }: OwnFunction, world: World, pipelines: Pipelines): ServiceFunction<'worker'> {
    const description = `Claims and runs jobs of ${jobs.length > 3 ? `${jobs.length} kinds` : jobs.join(', ')}.`;
    const lanes = world.doorbells.of(name);
    return this.#hearer(`Own${pascal(name)}`, world, pipelines, { description, lanes, options });
  }

  #hearer(
    id: string,
    { settings, rows, objects, doorbells, kinds }: World,
    pipelines: Pipelines,
    { description, lanes, options, embedder = null }: Hearing,
  ): ServiceFunction<'worker'> {
    const hearer = new ServiceFunction(this, id, {
      name: 'worker',
      settings,
      description,
      timeout: workerTimeout,
      memory: workerMemory,
      besides: ['functions/support/heartbeat-thread'],
      ringsItself: true,
      reserve: settings.reserve,
      kindsFile: kinds.file,
      options,
      environment: {
        TABLE_NAME: rows.table.tableName,
        BUCKET_NAME: objects.bucket.bucketName,
        STATE_MACHINES: pipelines.arnsByKind,
        TENANT_CAP: String(settings.tenantCap),
        WORKSPACE_BYTES: String(settings.workspaceBytes),
        EMBEDDER: JSON.stringify(embedder),
        ...doorbells.urls,
      },
    });
    rows.allow(hearer, 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem', 'Query');
    rows.allowRelease(hearer);
    objects.allowRead(hearer);
    objects.allowWrite(hearer);
    doorbells.allowRing(hearer);
    pipelines.allowStart(hearer);
    allowModel(hearer, embedder);
    hear(hearer, lanes.default, options.workers ?? settings.workers);
    hear(hearer, lanes.due, settings.dueWorkers);
    return hearer;
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

/** The event source grants receiving, deleting and changing visibility on its own queue. */
function hear(hearer: ServiceFunction<'worker'>, queue: Queue, maxConcurrency: number, size = 1): void {
  hearer.live.addEventSource(
    new SqsEventSource(queue, { batchSize: size, reportBatchItemFailures: true, maxConcurrency }),
  );
}
