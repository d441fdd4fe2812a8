// The clients of a function, made once an instance by whichever of these it asks for. Each function asks for what its role allows.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Environment } from '../../lib/config/environment.ts';
import { systemChance } from '../../lib/core/chance.ts';
import type { Log } from '../../lib/core/log.ts';
import type { Objects } from '../../lib/core/objects.ts';
import { systemClock } from '../../lib/core/time.ts';
import type { Announcer } from '../../lib/job/announcer.ts';
import type { Backlogs } from '../../lib/job/health/backlog.ts';
import { createThreadedHeartbeats } from '../../lib/job/heartbeat/heartbeat-thread.ts';
import type { Executions, Ringer } from '../../lib/job/ports.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { createEventBridge } from '../../lib/queue/event-bridge.ts';
import { createSqsBacklogs, createSqsRinger } from '../../lib/queue/sqs.ts';
import { createSweepBus } from '../../lib/queue/sweep-bus.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { lateExecutions, lateObjects } from './late.ts';
import { patience } from './patience.ts';

type Place = Environment<'worker'>;

/** What needs no client; a function that submits says what a tenant may run. */
export const basics = (log: Log, { TENANT_CAP = 0 }: Partial<Pick<Environment<'api'>, 'TENANT_CAP'>> = {}) => {
  const settings = TENANT_CAP === 0 ? engineDefaults : { ...engineDefaults, tenantCap: TENANT_CAP };
  return { clock: systemClock, chance: systemChance, settings, log };
};

export const openStore = ({ TABLE_NAME }: Pick<Place, 'TABLE_NAME'>) =>
  createDynamoStore({ client: new DynamoDBClient(patience), tableName: TABLE_NAME });

export const openObjects = ({ BUCKET_NAME }: Pick<Place, 'BUCKET_NAME'>): Objects =>
  lateObjects(async () => (await import('./s3.ts')).openS3(BUCKET_NAME));

export const openQueues = (): SQSClient => new SQSClient({ ...patience, useQueueUrlAsEndpoint: false });

export const openRinger = ({ QUEUES }: Pick<Place, 'QUEUES'>): Ringer =>
  createSqsRinger({ client: openQueues(), queues: QUEUES });

export const openBacklogs = ({ QUEUES }: Pick<Place, 'QUEUES'>): Backlogs =>
  createSqsBacklogs({ client: openQueues(), queues: QUEUES });

export const openExecutions = ({ STATE_MACHINES }: Pick<Place, 'STATE_MACHINES'>): Executions =>
  lateExecutions(async () => (await import('./step-functions.ts')).openStepFunctions(STATE_MACHINES));

export const openHandOn = ({ TABLE_NAME }: Pick<Place, 'TABLE_NAME'>) =>
  createSweepBus({ client: new EventBridgeClient(patience), table: TABLE_NAME });

export const openAnnouncer = (): Announcer => createEventBridge(new EventBridgeClient(patience));

/** The thread's own file is built beside the function that starts it. */
export const openHeartbeats = ({ TABLE_NAME }: Pick<Place, 'TABLE_NAME'>, log: Log) =>
  createThreadedHeartbeats({
    threadFile: new URL('./heartbeat-thread.mjs', import.meta.url),
    threadData: { TABLE_NAME },
    ...basics(log),
  });
