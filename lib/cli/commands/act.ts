// What an operator does to jobs and flows, one verb each.
import * as z from 'zod';
import { type Context, printJson } from '../context.ts';
import { CliFailure, exitCodes } from '../failure.ts';
import { paint, statusStyle } from '../io.ts';

export type JobVerb = 'cancel' | 'redrive' | 'reclaim' | 'pause' | 'resume' | 'step';
export type FlowVerb = 'pause' | 'resume' | 'step' | 'disable' | 'enable';

const stateSchema = z.looseObject({
  status: z.string().optional(),
  state: z.string().optional(),
  cancelRequested: z.string().optional(),
  steps: z.number().default(0),
});

/** Does one thing to each job; goes on after a refusal, and then ends as refused. */
export async function actOnJobs(context: Context, verb: JobVerb, ids: readonly string[], body: object): Promise<void> {
  const answers: unknown[] = [];
  for (const id of ids) {
    const answer = await trial(context, id, verb, body);
    if (answer instanceof CliFailure && ids.length === 1) throw answer;
    if (answer instanceof CliFailure) context.fail();
    answers.push(answer instanceof CliFailure ? { id, refused: answer.message } : answer);
    if (!context.json) context.io.out(`${id}  ${outcomeText(context, answer)}\n`);
  }
  if (context.json) printJson(context, answers.length === 1 ? answers[0] : { data: answers });
}

/** A refusal is an answer; that nobody answers, or the key is not allowed, ends the command. */
async function trial({ client }: Context, id: string, verb: JobVerb, body: object): Promise<unknown> {
  try {
    return await client.send('POST', `/v1/jobs/${encodeURIComponent(id)}/${verb}`, body);
  } catch (thrown) {
    if (thrown instanceof CliFailure && thrown.exitCode === exitCodes.failed) return thrown;
    throw thrown;
  }
}

const outcomeText = (context: Context, answer: unknown): string =>
  answer instanceof CliFailure ? paint(context.io, 'red', answer.message) : stateText(context, answer);

function stateText({ io }: Context, answer: unknown): string {
  const { status, state, cancelRequested, steps } = stateSchema.parse(answer ?? {});
  const text = status ?? state ?? 'done';
  const besides = cancelRequested === undefined ? (steps === 0 ? '' : `, lets ${steps} start`) : ', told to stop';
  return `${paint(io, statusStyle(text), text)}${besides}`;
}

async function tell(context: Context, name: string, path: string, body: object): Promise<void> {
  const answer = await context.client.send('POST', path, body);
  if (context.json) printJson(context, answer ?? {});
  else context.io.out(`${name}  ${stateText(context, answer)}\n`);
}

export const actOnFlow = (context: Context, verb: FlowVerb, flow: string, body: object): Promise<void> =>
  tell(context, flow, `/v1/flows/${encodeURIComponent(flow)}/${verb}`, body);

const runSchema = z.looseObject({ id: z.string() });

/** A run is a job of its own, which can be watched. */
export async function actOnSchedule(context: Context, verb: 'pause' | 'resume' | 'run', id: string): Promise<void> {
  const path = `/v1/schedules/${encodeURIComponent(id)}/${verb}`;
  if (verb !== 'run' || context.json) return tell(context, id, path, {});
  const run = runSchema.parse(await context.client.send('POST', path, {}));
  context.io.out(`${run.id}  ${stateText(context, run)}\n`);
}

export interface PauseOptions {
  readonly reason?: string;
  /** Of a pipeline. */
  readonly stage?: string;
}

/** A job by its id, a flow by its name. */
export const actOn = (
  context: Context,
  verb: 'pause' | 'resume' | 'step',
  target: string,
  { reason, stage }: PauseOptions,
): Promise<void> =>
  /^job_[0-9A-Z]{26}$/.test(target)
    ? actOnJobs(context, verb, [target], { before: stage })
    : actOnFlow(context, verb, target, { reason });

export async function signal(context: Context, id: string, name: string, payload: unknown): Promise<void> {
  const body = { name, ...(payload !== undefined && { payload }) };
  await tell(context, id, `/v1/jobs/${encodeURIComponent(id)}/signal`, body);
}
