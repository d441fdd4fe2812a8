// Settles the job of an execution that did not: called by the catch of a state machine, and for executions that ended otherwise.
import { readEnvironment } from '../lib/config/environment.ts';
import { parseSettleCall } from '../lib/pipeline/calls.ts';
import { settleExecution } from '../lib/pipeline/settle-execution.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { defineHandler } from './support/handler.ts';
import { basics, openRinger, openStore } from './support/world.ts';

const environment = readEnvironment('settle');
const log = createLog('settle');
const engine = { ...basics(log), store: openStore(environment), ringer: openRinger(environment) };

export const handler = defineHandler(log, async (event: unknown) => {
  const { kind } = await settleExecution(engine, parseSettleCall(event));
  return { kind };
});
