// The sweep, once a minute: whatever is past due gets the one write that fits. Says how far behind it found the index. A shard with more
// than a page of it is handed to an invocation of its own.
import { readEnvironment } from '../lib/config/environment.ts';
import { later, millis, seconds } from '../lib/core/time.ts';
import { sweep } from '../lib/job/sweep/reaper.ts';
import { handedRest } from '../lib/queue/sweep-bus.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { createMetrics } from '../lib/telemetry/metrics.ts';
import { countBacklogs } from './support/backlogs.ts';
import { defineHandler } from './support/handler.ts';
import * as open from './support/world.ts';

const environment = readEnvironment('reaper');
const log = createLog('reaper');
const metrics = createMetrics('reaper');
const engine = {
  ...open.basics(log, environment),
  store: open.openStore(environment),
  ringer: open.openRinger(environment),
  executions: open.openExecutions(environment),
  registry: { names: () => environment.KINDS },
};
const health = { ...engine, backlogs: open.openBacklogs(environment), announcer: open.openAnnouncer() };
const handOn = open.openHandOn(environment);
/** For the row under way when time runs out. */
const margin = seconds(15);

export const handler = defineHandler(log, async (event: unknown, context) => {
  const deadline = later(engine.clock.now(), millis(context.getRemainingTimeInMillis() - margin));
  const rest = handedRest(event);
  const report = await sweep(engine, { deadline, ...(rest === undefined ? { handOn } : { rest }) });
  if (report.rows > 0 || report.unfinished.length > 0) log.info('Swept.', { shard: rest?.shard, ...report });
  if (rest !== undefined) return report;
  metrics.publish('oldestDueAge', Math.round(report.oldestDue / 1000));
  const behind = await countBacklogs(health);
  // A metric costs by the hour in which it has a value.
  if (behind > 0) metrics.publish('backlogs', behind);
  return report;
});
