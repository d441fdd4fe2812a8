// Makes the emulator ready to start: its virtual environment, else its Docker image, else a plain sentence why neither.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withLock } from '../setup/lock.mjs';
import { findPython } from './python.ts';
import { run } from './run.ts';
import { cacheFolder, emulatorImage, emulatorVersion, type Say } from './settings.ts';

export type Installed =
  | { readonly kind: 'venv'; readonly command: string }
  | { readonly kind: 'docker'; readonly image: string }
  | { readonly kind: 'none'; readonly why: string };

const constraints = join(import.meta.dirname, 'constraints.txt');

/** Installs what is missing into `folder` and says so in a line each; says nothing when all is there. */
export async function installEmulator(
  say: Say,
  folder = join(cacheFolder, `emulator-${emulatorVersion}`),
  env = process.env,
): Promise<Installed> {
  const command = join(folder, 'bin/ministack');
  if (existsSync(join(folder, 'complete'))) return { kind: 'venv', command };
  const obstacle = await withLock(`${folder}.lock`, say, () => makeVenv(say, folder, env));
  if (obstacle === undefined) return { kind: 'venv', command };
  say(obstacle);
  return useDocker(say, obstacle, env);
}

/** What stood in the way, in a sentence; undefined when the environment is there. */
async function makeVenv(say: Say, folder: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (existsSync(join(folder, 'complete'))) return undefined;
  const python = await findPython(env);
  if (python.kind === 'missing') return 'Python 3.10 or newer is needed for the local cloud, and none was found.';
  if (python.kind === 'too-old') {
    return `Python 3.10 or newer is needed for the local cloud; ${python.version} is the newest here.`;
  }
  say(`Set-up: a virtual environment of Python ${python.version} for the emulator.`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true });
  const venv = await run(python.command, ['-m', 'venv', folder], { env });
  if (venv.code !== 0) {
    return 'Python has no working venv module (Debian and Ubuntu: the package python3-venv), so the emulator cannot be set up.';
  }
  say(`Set-up: the emulator, ministack ${emulatorVersion}, by pip (about 90 MB).`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '-c', constraints];
  const installed = await run(join(folder, 'bin/python'), [...pip, `ministack==${emulatorVersion}`], { env });
  if (installed.code !== 0) return `The emulator could not be installed by pip: ${lastLine(installed.all)}`;
  await writeFile(join(folder, 'complete'), `${emulatorVersion}\n`);
  return undefined;
}

async function useDocker(say: Say, obstacle: string, env: NodeJS.ProcessEnv): Promise<Installed> {
  const server = await run('docker', ['version', '--format', '{{.Server.Version}}'], { env });
  if (server.code !== 0) return { kind: 'none', why: `${obstacle} Docker does not answer either.` };
  say(`Set-up: the emulator’s Docker image ${emulatorImage} instead.`);
  const pulled = await run('docker', ['pull', '--quiet', emulatorImage], { env });
  if (pulled.code !== 0) {
    return { kind: 'none', why: `${obstacle} Docker could not pull ${emulatorImage}: ${lastLine(pulled.all)}` };
  }
  return { kind: 'docker', image: emulatorImage };
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? 'it said nothing';
