// Hears doorbells: claims the job, runs it under a heartbeat, settles it; or starts its execution.
import type { SQSEvent } from 'aws-lambda';
import { readEnvironment } from '../lib/config/environment.ts';
import { createWorker } from '../lib/job/executor.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { hearAll, visibleSoon } from './support/doorbells.ts';
import { beforeTheEnd, defineHandler } from './support/handler.ts';
import { createKinds } from './support/kinds.ts';
import {
  basics,
  openExecutions,
  openHeartbeats,
  openObjects,
  openQueues,
  openRinger,
  openStore,
} from './support/world.ts';

const environment = readEnvironment('worker');
const { WORKER_QUEUE_URL, WORKER_DUE_QUEUE_URL } = environment;
const log = createLog('worker');
const store = openStore(environment);
const objects = openObjects(environment);
const queues = openQueues();
const { registry } = createKinds({ catalog: store, objects });
const common = basics(log);
const worker = createWorker({
  ...common,
  store,
  objects,
  registry,
  ringer: openRinger(environment, queues),
  executions: openExecutions(environment),
  heartbeats: openHeartbeats(environment, log),
});
const giveBack = visibleSoon(queues, [WORKER_QUEUE_URL, WORKER_DUE_QUEUE_URL], common.chance, log);

export const handler = defineHandler(log, async ({ Records }: SQSEvent, context) => {
  const stop = beforeTheEnd(context);
  return hearAll(Records, { log, giveBack, hear: (bell) => worker.hear(bell, stop) });
});
