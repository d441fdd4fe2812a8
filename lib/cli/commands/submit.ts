// Submitting a job: its input as JSON on the command line, from a file (`@file`) or from standard input (`-`).
import { readFile } from 'node:fs/promises';
import { asError } from '../../core/check.ts';
import { type Context, printJson } from '../context.ts';
import { CliFailure, exitCodes } from '../failure.ts';
import { parseDuration, timeOf } from '../format.ts';
import { jobSchema } from '../job-text.ts';
import { watchJob } from './watch.ts';

export interface SubmitOptions {
  readonly delay?: string;
  readonly notBefore?: string;
  readonly startBy?: string;
  readonly flow?: string;
  readonly lane?: string;
  readonly dedupKey?: string;
  readonly idempotencyKey?: string;
  readonly parent?: string;
  readonly watch?: boolean;
}

/** The JSON that an argument stands for. */
export async function jsonOf({ io }: Pick<Context, 'io'>, argument: string): Promise<unknown> {
  const text =
    argument === '-' ? await io.readStdin() : argument.startsWith('@') ? await fileText(argument.slice(1)) : argument;
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new CliFailure(
      exitCodes.usage,
      `That is not JSON: ${asError(thrown).message}`,
      `Give JSON, @file, or - for standard input.`,
    );
  }
}

const fileText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((thrown: unknown) => {
    throw new CliFailure(exitCodes.usage, asError(thrown).message);
  });

function delaySeconds(text: string): number {
  const delay = parseDuration(text);
  if (delay === undefined)
    throw new CliFailure(exitCodes.usage, `${text} is no length of time.`, 'Such as 90s, 15m, 2h or 3d.');
  return Math.ceil(delay / 1000);
}

export async function submit(context: Context, kind: string, input: string, options: SubmitOptions): Promise<void> {
  const now = context.clock.now();
  const { flow, lane, dedupKey, parent } = options;
  const body = {
    ...{ kind, flow, lane, dedupKey, parentId: parent },
    input: await jsonOf(context, input),
    delaySeconds: options.delay === undefined ? undefined : delaySeconds(options.delay),
    notBefore: options.notBefore === undefined ? undefined : timeOf(options.notBefore, now, 1),
    startBy: options.startBy === undefined ? undefined : timeOf(options.startBy, now, 1),
  };
  const headers = options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey };
  const job = jobSchema.parse(await context.client.send('POST', '/v1/jobs', body, headers));
  if (options.watch === true) return watchJob(context, job.id);
  if (context.json) printJson(context, job);
  else context.io.out(`${job.id}\n`);
}
