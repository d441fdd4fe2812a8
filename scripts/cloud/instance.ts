// What a running instance leaves in .millrace/<name>.json, so that other commands find it and `npm run down` stops it.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './run.ts';
import { stateFolder } from './settings.ts';

export type InstanceName = 'cloud' | 'dev';

export interface Instance {
  /** The base of the HTTP API. */
  readonly url: string;
  readonly apiKey: string;
  /** The process to signal; it stops all that it started. */
  readonly pid: number;
  /** A process that lives on its own if `pid` is killed outright. */
  readonly emulatorPid?: number;
}

const fileOf = (name: InstanceName, folder: string) => join(folder, `${name}.json`);

/** Readable by the user alone: it holds a key. */
export async function writeInstance(name: InstanceName, instance: Instance, folder = stateFolder): Promise<void> {
  await mkdir(dirname(fileOf(name, folder)), { recursive: true });
  await writeFile(fileOf(name, folder), `${JSON.stringify(instance, undefined, 2)}\n`, { mode: 0o600 });
}

export async function readInstance(name: InstanceName, folder = stateFolder): Promise<Instance | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(name, folder), 'utf8')) as Instance;
  } catch {
    return undefined;
  }
}

export const forgetInstance = (name: InstanceName, folder = stateFolder): Promise<void> =>
  rm(fileOf(name, folder), { force: true });

/** Whether `pid` lives and its command line says it is ours; a number alone may belong to somebody else by now. */
export async function isOurs(pid: number, word: RegExp): Promise<boolean> {
  const { code, out } = await run('ps', ['-o', 'args=', '-p', String(pid)]);
  return code === 0 && word.test(out);
}

const words = { cloud: /scripts\/cloud\.ts/, dev: /scripts\/dev\.ts/ } as const;

/** The instance of this checkout that runs now; a file that a dead one left behind counts for nothing. */
export async function runningInstance(name: InstanceName, folder = stateFolder): Promise<Instance | undefined> {
  const instance = await readInstance(name, folder);
  return instance !== undefined && (await isOurs(instance.pid, words[name])) ? instance : undefined;
}

/** Asks the process to stop and waits until it has; answers false when it is still there after `patienceMs`. */
export async function stopProcess(pid: number, word: RegExp, patienceMs = 60_000): Promise<boolean> {
  const deadline = AbortSignal.timeout(patienceMs);
  if (await isOurs(pid, word)) process.kill(pid, 'SIGTERM');
  while (await isOurs(pid, word)) {
    if (deadline.aborted) return false;
    await pause(100);
  }
  return true;
}

/** Stops an instance and what it may have left behind; answers what was done, a line each. */
export async function stopInstance(name: InstanceName, folder = stateFolder): Promise<string[]> {
  const instance = await readInstance(name, folder);
  if (instance === undefined) return [];
  const wasRunning = await isOurs(instance.pid, words[name]);
  const stopped = await stopProcess(instance.pid, words[name]);
  if (!stopped) return [`${name}: process ${instance.pid} does not stop.`];
  const lines = [wasRunning ? `${name}: stopped.` : `${name}: was not running any more.`];
  const { emulatorPid } = instance;
  if (emulatorPid !== undefined && (await isOurs(emulatorPid, /ministack/))) {
    await stopProcess(emulatorPid, /ministack/);
    lines.push(`${name}: stopped the emulator that it had left behind.`);
  }
  await forgetInstance(name, folder);
  return lines;
}
