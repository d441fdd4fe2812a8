// One emulator and one deployed stack for a whole test run, on a free port and in a folder of its own, so that a demo or a
// second run is not disturbed. Projects of a run load their set-up apart from each other, hence the registry on globalThis.
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, startEmulator } from '../../scripts/cloud/emulator.ts';
import { type LocalCloud, startLocalCloud } from '../../scripts/cloud/local-cloud.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { root } from '../../scripts/cloud/settings.ts';

interface Shared<T> {
  users: number;
  readonly started: Promise<T>;
}

/** What a project was lent, and how it gives it back: the last one to do so stops it. */
export interface Lent<T> {
  readonly value: T;
  release(): Promise<void>;
}

type Stoppable = { stop(): Promise<void> };

async function lend<T extends Stoppable>(name: string, start: () => Promise<T>): Promise<Lent<T>> {
  const registry = globalThis as unknown as Record<symbol, Shared<T> | undefined>;
  const key = Symbol.for(`millrace.test.${name}`);
  const shared = (registry[key] ??= { users: 0, started: start() });
  shared.users += 1;
  const value = await shared.started;
  const release = async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    registry[key] = undefined;
    await value.stop();
  };
  return { value, release };
}

async function inFolder<T extends Stoppable>(start: (stateDir: string) => Promise<T>): Promise<T> {
  const stateDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const remove = () => rmSync(stateDir, { recursive: true, force: true });
  endInOrder();
  process.once('exit', remove);
  const started = await start(stateDir);
  const stop = async () => {
    await started.stop();
    remove();
  };
  return { ...started, stop };
}

/** A run that is told to stop runs the exit handlers, which end the emulator. */
function endInOrder(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

const log = (line: string) => console.log(`[set-up] ${line}`);

/** A bare emulator with nothing deployed. */
export const lendEmulator = (): Promise<Lent<Emulator>> =>
  lend('emulator', async () => {
    const port = await freePort();
    return inFolder((stateDir) => startEmulator({ port, stateDir, log }));
  });

/** The deployed stack with the kinds of the examples, and a key. */
export const lendCloud = (): Promise<Lent<LocalCloud>> =>
  lend('cloud', async () => {
    const port = await freePort();
    return inFolder((stateDir) =>
      startLocalCloud({ port, stateDir, log, context: { kinds: join(root, 'examples/kinds.ts') } }),
    );
  });
