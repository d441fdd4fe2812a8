// Turns changes of the table's stream into event rows and what follows from them, one job's in order; what failed comes again from there.
import type { DynamoDBBatchResponse } from 'aws-lambda';
import { readEnvironment } from '../lib/config/environment.ts';
import { createEffects } from '../lib/events/effects.ts';
import { createOutageTeller } from '../lib/events/outage.ts';
import { type RelayDeps, relayChanges } from '../lib/events/relay.ts';
import { countChanges } from '../lib/events/statistics.ts';
import { changesOf, type StreamEvent } from '../lib/store/stream.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { defineHandler } from './support/handler.ts';
import { basics, openAnnouncer, openObjects, openRinger, openStore } from './support/world.ts';

const log = createLog('relay');
const environment = readEnvironment('relay');
const engine = {
  ...basics(log),
  store: openStore(environment),
  objects: openObjects(environment),
  ringer: openRinger(environment),
};
const announcer = openAnnouncer();
const deps: RelayDeps = {
  ...engine,
  effects: createEffects(engine),
  count: (changes, how) => countChanges(engine, changes, how),
  announcer,
};
const tellOutage = createOutageTeller({ ...engine, announcer });

export const handler = defineHandler(log, async (event: StreamEvent): Promise<DynamoDBBatchResponse> => {
  const changes = changesOf(event);
  await tellOutage(changes);
  // Lambda goes on from the first of the failures; what stands behind it is relayed twice, and changes nothing the second time.
  const failed = changes[(await relayChanges(deps, changes)) ?? changes.length];
  log.info('Changes were relayed.', { changes: changes.length });
  if (failed === undefined) return { batchItemFailures: [] };
  log.warn('A change could not be relayed and comes again.', { sequenceNumber: failed.sequenceNumber });
  return { batchItemFailures: [{ itemIdentifier: failed.sequenceNumber }] };
});
