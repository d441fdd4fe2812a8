// Objects that are put into the inbox of the bucket: each becomes a job, which takes it from there. It reads no object itself.
import { readEnvironment } from '../lib/config/environment.ts';
import { droppedIn } from '../lib/ingest/inbox/events.ts';
import { createInboxDrop } from '../lib/ingest/inbox/drop-job.ts';
import { submitDrop } from '../lib/ingest/inbox/submit-drop.ts';
import type { TakeDeps } from '../lib/ingest/inbox/take.ts';
import { createRegistry } from '../lib/job/registry.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { defineHandler } from './support/handler.ts';
import { lateObjects } from './support/late.ts';
import { basics, openRinger, openStore } from './support/world.ts';

const environment = readEnvironment('inbox');
const log = createLog('inbox');
const engine = {
  ...basics(log, environment),
  store: openStore(environment),
  ringer: openRinger(environment),
  // The input of a drop is short, so that it needs none.
  objects: lateObjects(() => Promise.reject(new TypeError('This function has no right to any object.'))),
  registry: createRegistry([createInboxDrop({} as TakeDeps)]),
};

function whatBecame(submitted: Awaited<ReturnType<typeof submitDrop>>): string {
  if (submitted === undefined) return 'A drop into a workspace that is deleted was passed over.';
  return submitted.created ? 'A drop became a job.' : 'The drop has its job already.';
}

export const handler = defineHandler(log, async (event: unknown) => {
  const { dropped, ignored } = droppedIn(event);
  if (ignored.length > 0) log.info('Objects that are no drops were passed over.', { keys: ignored });
  for (const { drop, version } of dropped) {
    const submitted = await submitDrop(engine, drop, version);
    log.info(whatBecame(submitted), { job: submitted?.row.id, ...drop });
  }
});
