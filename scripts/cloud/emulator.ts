// Starts the emulator with IAM enforced, waits until it answers, and stops it so that its state is saved.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EmulatorPlace, emulatorCommand, type Startable, temporaryFolder } from './command.ts';
import { installEmulator } from './install.ts';
import { claimPort } from './port.ts';
import { cloudEnvironment, type Say } from './settings.ts';

export interface Emulator {
  /** The endpoint of every AWS service. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when state is saved and no process of it is left; calling it twice is harmless. */
  stop(): Promise<void>;
}

export interface EmulatorOptions extends EmulatorPlace {
  readonly log: Say;
  /** What to start; installed here where it is left out. */
  readonly installed?: Startable;
}

/** The local cloud cannot start here; the message says why, and the embedded mode still can. */
export class CloudUnavailable extends Error {
  override readonly name = 'CloudUnavailable';
}

const upWithinMs = 60_000;
const downWithinMs = 30_000;

/** Throws CloudUnavailable where nothing can be installed, and an Error in a sentence where it does not come up. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { port, stateDir, log } = options;
  await claimPort(port);
  const installed = options.installed ?? (await whatCanStart(log));
  freshTemporaryFolder(temporaryFolder(stateDir));
  const url = `http://127.0.0.1:${port}`;
  const child = launch(installed, options);
  const atExit = () => killGroup(child);
  process.once('exit', atExit);
  const stopOnce = once(async () => {
    await stop(child);
    process.removeListener('exit', atExit);
  });
  const emulator = { url, pid: child.pid ?? 0, stop: stopOnce };
  if (await answers(child, url)) return emulator;
  await emulator.stop();
  throw new Error(`The emulator did not start; the end of ${logFile(stateDir)}:\n${await logTail(stateDir)}`);
}

async function whatCanStart(log: Say): Promise<Startable> {
  const installed = await installEmulator(log);
  if (installed.kind === 'none') throw new CloudUnavailable(installed.why);
  return installed;
}

/**
 * Functions are unpacked below it, and run by a CommonJS script of the emulator's. Inside a checkout that script would be taken for an
 * ES module, as the nearest package.json says; so the folder has one of its own.
 */
function freshTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

const logFile = (stateDir: string) => join(stateDir, 'emulator.log');

async function logTail(stateDir: string): Promise<string> {
  const text = await readFile(logFile(stateDir), 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-10).join('\n');
}

/** In a process group of its own: Ctrl-C reaches this process alone, which then stops the emulator in order. */
function launch(installed: Startable, place: EmulatorPlace): ChildProcess {
  const { port, stateDir } = place;
  const { command, args, env } = emulatorCommand(installed, place);
  const log = openSync(logFile(stateDir), 'w');
  const inherited = cloudEnvironment(`http://127.0.0.1:${port}`);
  const child = spawn(command, args, { env: { ...inherited, ...env }, detached: true, stdio: ['ignore', log, log] });
  child.on('error', () => undefined);
  closeSync(log);
  return child;
}

const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

async function answers(child: ChildProcess, url: string): Promise<boolean> {
  const deadline = AbortSignal.timeout(upWithinMs);
  while (!deadline.aborted && !hasEnded(child)) {
    const health = await fetch(`${url}/_localstack/health`, { signal: deadline }).catch(() => undefined);
    if (health?.ok === true) return true;
    await pause(100);
  }
  return false;
}

/** Functions run in processes of the same group, so none outlives the emulator. */
async function stop(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await Promise.race([ended, pause(downWithinMs, undefined, { ref: false })]);
  }
  killGroup(child);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is empty: all have ended.
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
