// How an installed emulator is started: as a process of its own environment, or as a container.
import { join } from 'node:path';
import type { Installed } from './install.ts';

export interface EmulatorPlace {
  readonly port: number;
  /** Absolute; rows, queues, functions and objects are kept under it. */
  readonly stateDir: string;
  /** What functions are told to call instead of the emulator itself: a proxy that counts. */
  readonly functionsEndpoint?: string;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** What is set over the environment that the emulator inherits. */
  readonly env: Readonly<Record<string, string>>;
}

export type Startable = Exclude<Installed, { kind: 'none' }>;

/** What need not outlive a run of the emulator. */
export const temporaryFolder = (stateDir: string): string => join(stateDir, 'tmp');

/** IAM is enforced, and everything is kept over a restart. */
const settings = (port: number, stateDir: string) => ({
  AUTH: 'true',
  GATEWAY_PORT: String(port),
  LOG_LEVEL: 'WARNING',
  PERSIST_STATE: '1',
  S3_DATA_DIR: join(stateDir, 'objects'),
  S3_PERSIST: '1',
  STATE_DIR: join(stateDir, 'state'),
});

export function emulatorCommand(installed: Startable, { port, stateDir, functionsEndpoint }: EmulatorPlace): Command {
  if (installed.kind === 'venv') {
    // By address, not by name: S3 clients then put the bucket into the path, so that no `bucket.localhost` has to resolve. The
    // API's own name stays `<id>.execute-api.localhost`: under an address it would be no host. The folder of unpacked functions
    // goes with the state.
    const own = {
      AWS_ENDPOINT_URL: functionsEndpoint ?? `http://127.0.0.1:${port}`,
      BIND_HOST: '127.0.0.1',
      PYTHONUNBUFFERED: '1',
      TMPDIR: temporaryFolder(stateDir),
    };
    return { command: installed.command, args: [], env: { ...settings(port, stateDir), ...own } };
  }
  // The image holds no Node 24: functions run in containers of AWS's runtime image, which is what the socket is for.
  const inside = { ...settings(port, '/state'), LAMBDA_EXECUTOR: 'docker' };
  const variables = Object.entries(inside).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const mounts = ['--volume', `${stateDir}:/state`, '--volume', '/var/run/docker.sock:/var/run/docker.sock'];
  const name = ['--name', `millrace-${port}`, '--publish', `${port}:${port}`];
  return { command: 'docker', args: ['run', '--rm', ...name, ...mounts, ...variables, installed.image], env: {} };
}
