// Calling a function of the stack by hand, as its event source would.
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { type Cloud, output } from './cloud.ts';

export interface Invoked {
  readonly value: unknown;
  /** What the function threw, as the platform words it. */
  readonly error: string | undefined;
}

/** @param name - of the function's output without its ending, e.g. `Reaper`. */
export async function invoke({ lambda }: Cloud, name: string, event: unknown): Promise<Invoked> {
  const command = new InvokeCommand({
    FunctionName: output(`${name}FunctionName`),
    Qualifier: 'live',
    Payload: JSON.stringify(event),
  });
  const { Payload, FunctionError } = await lambda.send(command);
  const text = Payload?.transformToString() ?? '';
  if (FunctionError !== undefined) return { value: undefined, error: text };
  return { value: text === '' ? undefined : (JSON.parse(text) as unknown), error: undefined };
}

/** One sweep, now. Throws where it failed. */
export async function sweepNow(cloud: Cloud): Promise<unknown> {
  const { value, error } = await invoke(cloud, 'Reaper', {});
  if (error !== undefined) throw new Error(`The reaper failed: ${error}`);
  return value;
}
