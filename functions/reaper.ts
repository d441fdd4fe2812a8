// The sweep, once a minute: whatever is past due gets the one write that fits. Says how far behind it found the index.
import { readEnvironment } from '../lib/config/environment.ts';
import { asError } from '../lib/core/check.ts';
import { later, millis, seconds } from '../lib/core/time.ts';
import { checkBacklogs } from '../lib/job/health/health.ts';
import { sweep } from '../lib/job/sweep/reaper.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { createMetrics } from '../lib/telemetry/metrics.ts';
import { defineHandler } from './support/handler.ts';
import { basics, openAnnouncer, openBacklogs, openExecutions, openRinger, openStore } from './support/world.ts';

const environment = readEnvironment('reaper');
const log = createLog('reaper');
const metrics = createMetrics('reaper');
const engine = {
  ...basics(log, environment),
  store: openStore(environment),
  ringer: openRinger(environment),
  executions: openExecutions(environment),
  registry: { names: () => environment.KINDS },
};
const backlogs = openBacklogs(environment);
const announcer = openAnnouncer();
/** For the row under way when time runs out. */
const margin = seconds(15);

export const handler = defineHandler(log, async (_event: unknown, context) => {
  const deadline = later(engine.clock.now(), millis(context.getRemainingTimeInMillis() - margin));
  const report = await sweep(engine, { deadline });
  metrics.publish('oldestDueAge', Math.round(report.oldestDue / 1000));
  const behind = await checkBacklogs({ ...engine, backlogs, announcer }).catch((thrown: unknown) => {
    log.warn('The backlogs could not be looked at.', { error: asError(thrown) });
    return 0;
  });
  // A metric costs by the hour in which it has a value.
  if (behind > 0) metrics.publish('backlogs', behind);
  if (report.rows > 0 || report.unfinished.length > 0) log.info('Swept.', { ...report });
  return report;
});
