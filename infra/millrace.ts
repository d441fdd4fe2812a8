// The whole service as one construct, with the user's kinds in it. docs/adr/0010 says why the two are not apart: the API checks inputs by
// the kinds' schemas, the machines call their stages, and both have to come from one build.
import { Construct } from 'constructs';
import { Alarms } from './alarms.ts';
import { Api } from './api.ts';
import { ObjectBucket } from './bucket.ts';
import { definitions } from './definitions.ts';
import { Inbox } from './inbox.ts';
import { pascal } from './names.ts';
import { type OwnFunctionOptions, readKinds } from './own-kinds.ts';
import { Pipelines } from './pipelines.ts';
import { DoorbellQueues } from './queues.ts';
import { Relay } from './relay.ts';
import type { ServiceFunction } from './service-function.ts';
import { readSettings, type Settings } from './settings.ts';
import { Sweep } from './sweep.ts';
import { JobTable } from './table.ts';
import { Worker, workerTimeout } from './worker.ts';
import type { World } from './world.ts';

export type { OwnFunctionOptions, ServiceFunction, Settings };

export interface MillraceProps {
  /** The file that exports `kinds`: a path from the working directory, or a file URL. Without it, ingest and the diagnostics are there. */
  readonly kinds?: string | URL | undefined;
  /** Sizes, network and layers of the functions that kinds name (`defineJob({ function: 'heavy', … })`), by that name. */
  readonly functions?: Readonly<Record<string, OwnFunctionOptions>> | undefined;
  /** Over the context flags of docs/deploy.md. */
  readonly settings?: Partial<Settings> | undefined;
}

/**
 * @example
 * const stack = new Stack(new App(), 'Reports');
 * const millrace = new Millrace(stack, 'Millrace', { kinds: 'kinds.ts', functions: { heavy: { memory: 4096 } } });
 * bucket.grantRead(millrace.functionOf('report.monthly'));
 */
export class Millrace extends Construct {
  /** The base of the HTTP API, without a slash at the end. */
  readonly url: string;
  /** What an operator and tests need, by name: `ApiUrl`, `TableName`, and so on. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly #functionOf: ReadonlyMap<string, ServiceFunction>;

  constructor(scope: Construct, id: string, { kinds: file, functions, settings: own }: MillraceProps = {}) {
    super(scope, id);
    const settings = { ...readSettings(this.node), ...own };
    const kinds = readKinds(file, functions);
    const hearers = kinds.functions.filter(({ jobs }) => jobs.length > 0);
    const rows = new JobTable(this, 'Rows', settings);
    const objects = new ObjectBucket(this, 'Objects', settings);
    const doorbells = new DoorbellQueues(this, 'Doorbells', {
      settings,
      workerTimeout,
      own: hearers.map(({ name, options, jobs }) => ({ name, timeout: options.timeout ?? workerTimeout, kinds: jobs })),
      batched: kinds.batched,
    });
    const world: World = { settings, rows, objects, doorbells, kinds };
    const pipelines = new Pipelines(this, 'Pipelines', world, [...definitions, ...kinds.pipelines]);
    const worker = new Worker(this, 'Worker', world, pipelines);
    const api = new Api(this, 'Api', world);
    const sweep = new Sweep(this, 'Sweep', world, pipelines);
    const relay = new Relay(this, 'Relay', world);
    const inbox = new Inbox(this, 'Inbox', world);
    new Alarms(this, 'Alarms', {
      ...{ settings, relay: relay.relay, relayFailures: relay.failures, inboxFailures: inbox.failures },
    });

    const shared = { job: worker.functions.Worker, pipeline: pipelines.functions.Stage };
    const brought = { job: worker.own, pipeline: pipelines.own };
    this.#functionOf = new Map(
      kinds.kinds.map((kind) => [kind.kind, brought[kind.type].get(kind.function ?? '') ?? shared[kind.type]]),
    );
    this.url = api.url;
    const named = { ...api.functions, ...worker.functions, ...pipelines.functions };
    this.outputs = {
      ApiUrl: api.url,
      TableName: rows.table.tableName,
      BucketName: objects.bucket.bucketName,
      ...doorbells.outputs,
      ...pipelines.outputs,
      ...namesOf({ ...named, Reaper: sweep.reaper, Relay: relay.relay, Inbox: inbox.inbox }),
      ...namesOf(Object.fromEntries([...worker.own].map(([name, each]) => [`${pascal(name)}Worker`, each]))),
      ...namesOf(Object.fromEntries([...pipelines.own].map(([name, each]) => [`${pascal(name)}Stage`, each]))),
    };
  }

  /**
   * The function that runs a kind of yours (of a pipeline: its stages), to grant it what your code needs: `bucket.grantRead(…)`. Kinds
   * without a function of their own share one, and so its rights. Throws an Error for a kind that `kinds` has not.
   */
  functionOf(kind: string): ServiceFunction {
    const found = this.#functionOf.get(kind);
    if (found === undefined)
      throw new Error(`There is no kind "${kind}" among yours: ${[...this.#functionOf.keys()].join(', ')}.`);
    return found;
  }
}

const namesOf = (functions: Readonly<Record<string, ServiceFunction>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(functions).map(([name, each]) => [`${name}FunctionName`, each.lambda.functionName]),
  );
