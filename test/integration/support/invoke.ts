// Calling a function of the stack by hand, as its event source would.
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { type Cloud, output } from './cloud.ts';
import { waitFor } from './wait.ts';

export interface Invoked {
  readonly value: unknown;
  /** What the function threw, as the platform words it. */
  readonly error: string | undefined;
  /** The end of what it logged. */
  readonly log: string;
}

/** @param name - of the function's output without its ending, e.g. `Reaper`. */
export async function invoke({ lambda }: Cloud, name: string, event: unknown): Promise<Invoked> {
  const command = new InvokeCommand({
    FunctionName: output(`${name}FunctionName`),
    Qualifier: 'live',
    Payload: JSON.stringify(event),
    LogType: 'Tail',
  });
  const { Payload, FunctionError, LogResult = '' } = await lambda.send(command);
  const text = Payload?.transformToString() ?? '';
  const log = Buffer.from(LogResult, 'base64').toString('utf8');
  if (FunctionError !== undefined) return { value: undefined, error: text, log };
  return { value: text === '' ? undefined : (JSON.parse(text) as unknown), error: undefined, log };
}

/**
 * The line with `text` that a call logged. A busy local cloud answers before it has read all of them, and tells the others with the next call
 * of the function, so `idle` is one that logs nothing.
 */
export async function lineLogged(
  cloud: Cloud,
  name: string,
  { log, text, idle }: Pick<Invoked, 'log'> & { readonly text: string; readonly idle: unknown },
): Promise<string> {
  const found = (some: string): string | undefined => some.split('\n').find((line) => line.includes(text));
  let line = found(log);
  return waitFor(
    `the function to have logged ${text}`,
    async () => (line ??= found((await invoke(cloud, name, idle)).log)),
  );
}

/** One sweep, now. Throws where it failed. */
export async function sweepNow(cloud: Cloud): Promise<unknown> {
  const { value, error } = await invoke(cloud, 'Reaper', {});
  if (error !== undefined) throw new Error(`The reaper failed: ${error}`);
  return value;
}
