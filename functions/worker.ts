// Hears doorbells: claims the job, runs it under a heartbeat, settles it; or starts its execution.
import type { SQSEvent } from 'aws-lambda';
import { readEnvironment } from '../lib/config/environment.ts';
import { createWorker } from '../lib/job/run/worker.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { hearAll, visibleSoon } from './support/doorbells.ts';
import { openWorkbench } from './support/engine.ts';
import { containHandlers } from './support/escapes.ts';
import { beforeTheEnd, defineHandler } from './support/handler.ts';
import { openQueues } from './support/world.ts';

const environment = readEnvironment('worker');
const log = createLog('worker');
const { engine } = openWorkbench(environment, log, environment.STATE_MACHINES);
const worker = createWorker(engine);
containHandlers(process, log);
const urls = Object.values(environment.QUEUES).flatMap((queues) => [queues.default, queues.due]);
const giveBack = visibleSoon(openQueues(), urls, engine.chance, log);

export const handler = defineHandler(log, async ({ Records }: SQSEvent, context) => {
  const stop = beforeTheEnd(context);
  return hearAll(Records, { log, giveBack, hear: (bell) => worker.hear(bell, stop) });
});
