// Every minute the reaper looks at what is past due. It is safe to run many at once, and harmless to miss one.
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { sweepDetailType, sweepSource } from '../lib/config/sweep-event.ts';
import { allowAnnounce } from './announcements.ts';
import type { Pipelines } from './pipelines.ts';
import { ServiceFunction } from './service-function.ts';
import type { World } from './world.ts';

export class Sweep extends Construct {
  readonly reaper: ServiceFunction<'reaper'>;

  constructor(scope: Construct, id: string, { settings, rows, doorbells, kinds }: World, pipelines: Pipelines) {
    super(scope, id);
    this.reaper = new ServiceFunction(this, 'Reaper', {
      name: 'reaper',
      settings,
      description: 'Revives, rings or buries what is past due; once a minute.',
      timeout: 120,
      memory: 512,
      environment: {
        TABLE_NAME: rows.table.tableName,
        STATE_MACHINES: pipelines.arnsByKind,
        TENANT_CAP: String(settings.tenantCap),
        KINDS: JSON.stringify(kinds.names),
        ...doorbells.urls,
      },
    });
    rows.allow(this.reaper, 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem', 'Query');
    rows.allowRelease(this.reaper);
    rows.allowQuery(this.reaper, 'due');
    doorbells.allowRing(this.reaper);
    doorbells.allowDepth(this.reaper);
    allowAnnounce(this.reaper);
    pipelines.allowProbe(this.reaper);
    new Rule(this, 'EveryMinute', {
      description: 'Starts the sweep.',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [this.#start()],
    });
    new Rule(this, 'ShardRest', {
      description: 'Starts a sweep of what follows the first page of a shard.',
      eventPattern: {
        source: [sweepSource],
        detailType: [sweepDetailType],
        detail: { table: [rows.table.tableName] },
      },
      targets: [this.#start()],
    });
  }

  /** The next minute brings the next sweep, so a failed one is not tried again. */
  #start(): LambdaFunction {
    return new LambdaFunction(this.reaper.live, { retryAttempts: 0, maxEventAge: Duration.minutes(1) });
  }
}
