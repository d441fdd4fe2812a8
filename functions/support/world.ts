// The clients of a function, made once an instance by whichever of these it asks for. Each function asks for what its role allows.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
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
import { createStepFunctions } from '../../lib/queue/step-functions.ts';
import { createSweepBus } from '../../lib/queue/sweep-bus.ts';
import { createDynamoStore } from '../../lib/store/dynamo/store.ts';
import { createS3Objects } from '../../lib/store/s3.ts';

type Place = Environment<'worker'>;

/** A call that is not answered in this time is sent again while the lease still lasts; the default is never. */
const patience = { maxAttempts: 4, requestHandler: { connectionTimeout: 2000, requestTimeout: 5000 } } as const;
/** Parts of files are long calls. */
const patienceForObjects = {
  maxAttempts: 4,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 60_000 },
} as const;

/** What needs no client; a function that submits says what a tenant may run. */
export const basics = (log: Log, { TENANT_CAP = 0 }: Partial<Pick<Environment<'api'>, 'TENANT_CAP'>> = {}) => {
  const settings = TENANT_CAP === 0 ? engineDefaults : { ...engineDefaults, tenantCap: TENANT_CAP };
  return { clock: systemClock, chance: systemChance, settings, log };
};

export const openStore = ({ TABLE_NAME }: Pick<Place, 'TABLE_NAME'>) =>
  createDynamoStore({ client: new DynamoDBClient(patience), tableName: TABLE_NAME });

export const openObjects = ({ BUCKET_NAME }: Pick<Place, 'BUCKET_NAME'>): Objects =>
  createS3Objects({ client: new S3Client(patienceForObjects), bucket: BUCKET_NAME });

export const openQueues = (): SQSClient => new SQSClient({ ...patience, useQueueUrlAsEndpoint: false });

export const openRinger = ({ QUEUES }: Pick<Place, 'QUEUES'>): Ringer =>
  createSqsRinger({ client: openQueues(), queues: QUEUES });

export const openBacklogs = ({ QUEUES }: Pick<Place, 'QUEUES'>): Backlogs =>
  createSqsBacklogs({ client: openQueues(), queues: QUEUES });

export const openExecutions = ({ STATE_MACHINES }: Pick<Place, 'STATE_MACHINES'>): Executions =>
  createStepFunctions({ client: new SFNClient(patience), machines: STATE_MACHINES });

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
