// Runs one step of a pipeline, for a state machine.
import { fileURLToPath } from 'node:url';
import { childEnvironment, readEnvironment } from '../lib/config/environment.ts';
import { systemClock } from '../lib/core/time.ts';
import { must } from '../lib/core/check.ts';
import { createSurveyThreads } from '../lib/ingest/chunks/survey-threads.ts';
import { parseStageCall } from '../lib/pipeline/calls.ts';
import { runStep } from '../lib/pipeline/stage-runner.ts';
import { createLog } from '../lib/telemetry/log.ts';
import { openWorkbench } from './support/engine.ts';
import { openLongQueries } from './support/long-queries.ts';
import { containHandlers } from './support/escapes.ts';
import { beforeTheEnd, defineHandler } from './support/handler.ts';

const log = createLog('stage');
const entry = fileURLToPath(new URL('./query-worker.mjs', import.meta.url));
const surveyThreads = createSurveyThreads({ entry: new URL('./survey-thread.mjs', import.meta.url) });
const { engine, pipelines } = openWorkbench(readEnvironment('stage'), log, {}, (parts) => ({
  ...openLongQueries({ ...parts, clock: systemClock }, { entry, environment: childEnvironment(), processes: 1 }),
  surveyThreads,
}));
containHandlers(process, log);

export const handler = defineHandler(log, async (event: unknown, context) => {
  const { pipeline, ...call } = parseStageCall(event);
  const definition = pipelines.find(({ kind }) => kind === pipeline);
  await runStep(engine, must(definition, `the pipeline ${pipeline}`), { ...call, signal: beforeTheEnd(context) });
});
