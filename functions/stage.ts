// Runs one step of a pipeline, for a state machine.
import { readEnvironment } from '../lib/config/environment.ts';
import { must } from '../lib/core/check.ts';
import type { Engine } from '../lib/job/engine.ts';
import { parseStageCall } from '../lib/pipeline/calls.ts';
import { runStep } from '../lib/pipeline/stage-runner.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { beforeTheEnd, defineHandler } from './support/handler.ts';
import { createKinds } from './support/kinds.ts';
import { basics, openExecutions, openHeartbeats, openObjects, openRinger, openStore } from './support/world.ts';

const environment = readEnvironment('stage');
const log = createLog('stage');
const store = openStore(environment);
const objects = openObjects(environment);
const { registry, pipelines } = createKinds({ catalog: store, objects });
const engine: Engine = {
  ...basics(log),
  store,
  objects,
  registry,
  ringer: openRinger(environment),
  executions: openExecutions(),
  heartbeats: openHeartbeats(environment, log),
};

export const handler = defineHandler(log, async (event: unknown, context) => {
  const { pipeline, ...call } = parseStageCall(event);
  const definition = pipelines.find(({ kind }) => kind === pipeline);
  await runStep(engine, must(definition, `the pipeline ${pipeline}`), { ...call, signal: beforeTheEnd(context) });
});
