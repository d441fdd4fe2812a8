// What goes wrong while chaos runs: worker processes are killed, functions are throttled, all at times drawn from the seed.
import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import type { Chance } from '../../lib/core/chance.ts';
import { processesOf } from '../cloud/processes.ts';
import { region } from '../cloud/settings.ts';

export interface Victims {
  /** Names of the functions whose processes are killed. */
  readonly functions: readonly string[];
  /** The emulator's process, asked anew each time, since it is restarted. */
  readonly emulator: () => number;
}

/** Kills one process now and then until it is told to stop; answers how many. */
export async function killAtRandom(
  { functions, emulator }: Victims,
  chance: Chance,
  stop: AbortSignal,
): Promise<number> {
  let killed = 0;
  const rest = () => pause(500 + chance.next() * 3000, true, { signal: stop }).catch(() => false);
  while (await rest()) {
    const found = await Promise.all(
      functions.map((functionName) => processesOf({ functionName, emulator: emulator() }).catch(() => [])),
    );
    const pids = found.flat();
    const victim = pids[Math.floor(chance.next() * pids.length)];
    if (victim !== undefined && kill(victim)) killed += 1;
  }
  return killed;
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Lets a function run nowhere for a while, then as before. */
export async function throttle(endpoint: string, functionName: string, forMs: number): Promise<void> {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const lambda = new LambdaClient({ endpoint, region, credentials });
  const FunctionName = functionName;
  const before = await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }));
  await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
  await pause(forMs);
  const { ReservedConcurrentExecutions } = before;
  await (ReservedConcurrentExecutions === undefined
    ? lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
    : lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions })));
  lambda.destroy();
}
