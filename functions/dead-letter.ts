// Doorbells that were received a hundred times and never heard. The row is the truth, so nothing is settled here: somebody is told, and
// the doorbell is rung again where its job still waits.
import type { SQSEvent } from 'aws-lambda';
import { readEnvironment } from '../lib/config/environment.ts';
import type { Doorbell } from '../lib/job/ports.ts';
import { ringFor } from '../lib/job/ring.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { createMetrics } from '../lib/telemetry/metrics.ts';
import { hearAll } from './support/doorbells.ts';
import { defineHandler } from './support/handler.ts';
import { basics, openRinger, openStore } from './support/world.ts';

const environment = readEnvironment('dead-letter');
const log = createLog('dead-letter');
const metrics = createMetrics('dead-letter');
const engine = { ...basics(log), store: openStore(environment), ringer: openRinger(environment) };

async function hear({ ref }: Doorbell): Promise<void> {
  const row = await engine.store.get(ref);
  const now = engine.clock.now();
  const waits = row?.status === 'queued' && (row.dueAt ?? 0) <= now;
  const rung = waits && (await ringFor(engine, row, now));
  log.error('A doorbell could not be heard.', { job: ref.id, status: row?.status, error: row?.error?.code, rung });
}

export const handler = defineHandler(log, async ({ Records }: SQSEvent) => {
  metrics.publish('deadLetters', Records.length);
  return hearAll(Records, { log, hear });
});
