// Doorbells: a queue for each lane of each function that hears them, and one for those that no function could hear.
import { Duration, Stack } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { pascal } from './names.ts';
import type { ServiceFunction } from './service-function.ts';
import { type Settings, tlsOnly } from './settings.ts';

/** Many: the row counts attempts, so a message must not die of them. */
const maxReceiveCount = 100;

/** A function that hears doorbells of its own. */
export interface Hearer {
  readonly name: string;
  /** Its time-out in seconds: for so long a message is hidden once it is received. */
  readonly timeout: number;
  readonly kinds: readonly string[];
}

export interface DoorbellQueuesProps {
  readonly settings: Settings;
  /** Seconds. */
  readonly workerTimeout: number;
  readonly own: readonly Hearer[];
  /** Kinds whose doorbells the worker hears several at a time, on a queue that is made only for them. */
  readonly batched: readonly string[];
}

interface Lanes {
  readonly default: Queue;
  readonly due: Queue;
}

export class DoorbellQueues extends Construct {
  readonly dead: Queue;
  readonly worker: Lanes;
  /** The lane `default` of kinds that are heard in batches; their lane `due` is the worker's. */
  readonly batch: Queue | undefined;
  readonly #settings: Settings;
  readonly #own: ReadonlyMap<string, Lanes>;
  readonly #props: DoorbellQueuesProps;

  constructor(scope: Construct, id: string, props: DoorbellQueuesProps) {
    super(scope, id);
    const { settings, workerTimeout } = props;
    this.#settings = settings;
    this.#props = props;
    this.dead = new Queue(this, 'Dead', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: tlsOnly(settings),
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(60),
    });
    acknowledge(this.dead, 'It is the dead-letter queue.', 'AwsSolutions-SQS3');
    this.worker = this.#lanes('Worker', workerTimeout);
    this.batch = props.batched.length === 0 ? undefined : this.#queue('WorkerBatch', workerTimeout);
    this.#own = new Map(props.own.map(({ name, timeout }) => [name, this.#lanes(`Own${pascal(name)}`, timeout)]));
  }

  /** The queues of an own function. */
  of(name: string): Lanes {
    const lanes = this.#own.get(name);
    if (lanes === undefined) throw new Error(`The function ${name} has no queues.`);
    return lanes;
  }

  /** For `environment` of whoever rings. */
  get urls() {
    const named = this.#props.own.map(({ name, kinds }) => [name, { ...urlsOf(this.of(name)), kinds }] as const);
    const batch = this.batch && { ...urlsOf({ ...this.worker, default: this.batch }), kinds: this.#props.batched };
    const queues = {
      worker: urlsOf(this.worker),
      ...(batch && { 'worker-batch': batch }),
      ...Object.fromEntries(named),
    };
    return { QUEUES: Stack.of(this).toJsonString(queues) };
  }

  get outputs(): Readonly<Record<string, string>> {
    return {
      WorkerQueueUrl: this.worker.default.queueUrl,
      WorkerDueQueueUrl: this.worker.due.queueUrl,
      DeadLetterQueueUrl: this.dead.queueUrl,
    };
  }

  /** AWS asks for SendMessage whether one message is sent or ten; the emulator asks for the call by its name. */
  allowRing(user: ServiceFunction): void {
    user.allow(['sqs:SendMessage', 'sqs:SendMessageBatch'], this.#arns);
  }

  allowDepth(user: ServiceFunction): void {
    user.allow(['sqs:GetQueueAttributes'], this.#arns);
  }

  get #arns(): string[] {
    const lanes = [this.worker, ...this.#own.values()].flatMap((each) => [each.default, each.due]);
    return [...lanes, ...(this.batch ? [this.batch] : [])].map((queue) => queue.queueArn);
  }

  #lanes(id: string, timeout: number): Lanes {
    return { default: this.#queue(id, timeout), due: this.#queue(`${id}Due`, timeout) };
  }

  #queue(id: string, timeout: number): Queue {
    return new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: tlsOnly(this.#settings),
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(timeout),
      deadLetterQueue: { queue: this.dead, maxReceiveCount },
    });
  }
}

const urlsOf = (lanes: Lanes) => ({ default: lanes.default.queueUrl, due: lanes.due.queueUrl });
