// What goes wrong while chaos runs: worker processes are killed, functions are throttled, all at times drawn from the seed.
import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import type { Chance } from '../../lib/core/chance.ts';
import { systemClock } from '../../lib/core/time.ts';
import { processesOf } from '../cloud/processes.ts';
import { region } from '../cloud/settings.ts';

export interface Victims {
  /** Names of the functions whose processes are killed. */
  readonly functions: readonly string[];
  /** The emulator's process, asked anew each time, since it is restarted. */
  readonly emulator: () => number;
}

export interface Kill {
  readonly functionName: string;
  /** Epoch ms. */
  readonly at: number;
}

/** Kills one process now and then until it is told to stop. */
export async function killAtRandom(
  { functions, emulator }: Victims,
  chance: Chance,
  stop: AbortSignal,
): Promise<readonly Kill[]> {
  const kills: Kill[] = [];
  const rest = () => pause(500 + chance.next() * 3000, true, { signal: stop }).catch(() => false);
  while (await rest()) {
    const found = await Promise.all(functions.map((name) => processesRunning(name, emulator())));
    const processes = found.flat();
    const victim = processes[Math.floor(chance.next() * processes.length)];
    if (victim === undefined) continue;
    const at = systemClock.now();
    if (kill(victim.pid)) kills.push({ functionName: victim.functionName, at });
  }
  return kills;
}

async function processesRunning(functionName: string, emulator: number) {
  const pids = await processesOf({ functionName, emulator }).catch(() => []);
  return pids.map((pid) => ({ functionName, pid }));
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
