import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installEmulator } from '../../../scripts/cloud/install.ts';
import { emulatorImage, emulatorVersion } from '../../../scripts/cloud/settings.ts';
import { standIns } from '../../support/stand-in.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'millrace-cache-'));
});
afterEach(() => rmSync(cache, { recursive: true }));

/** A Python whose venv is a folder with a Python that does `pip`. */
const python = (pip: string) => `
if [ "$1" = --version ]; then echo "Python 3.11.4"; exit 0; fi
mkdir -p "$3/bin"
printf '#!/bin/sh\\n%s\\n' '${pip}' > "$3/bin/python"
chmod +x "$3/bin/python"`;
const working = 'exit 0';
const docker = 'exit 0';

/** Installs with these commands in PATH and no others; answers the outcome, the lines said and the calls made. */
async function install(scripts: Record<string, string>) {
  using commands = standIns(scripts);
  const said: string[] = [];
  const installed = await installEmulator((line) => said.push(line), join(cache, 'emulator'), {
    PATH: commands.folder,
  });
  return { installed, said, calls: commands.calls() };
}

describe('the emulator’s set-up', () => {
  it('makes an environment once, and then has nothing to say', async () => {
    const first = await install({ python3: python(working) });
    expect(first.installed).toEqual({ kind: 'venv', command: join(cache, 'emulator/bin/ministack') });
    expect(first.said).toHaveLength(2);
    expect(first.said[1]).toContain(`ministack ${emulatorVersion}`);
    const second = await install({});
    expect(second).toEqual({ installed: first.installed, said: [], calls: [] });
  });

  it('starts afresh after a set-up that broke off', async () => {
    await install({ python3: python('exit 1') });
    const { installed } = await install({ python3: python(working) });
    expect(installed.kind).toBe('venv');
  });

  it.each([
    ['no Python', {}, /none was found/],
    ['a Python that is too old', { python3: 'echo "Python 3.8.18"' }, /3\.8\.18 is the newest here/],
    ['a shim that answers nothing', { python3: 'echo "no such version" >&2; exit 127' }, /none was found/],
    [
      'no venv module',
      { python3: 'if [ "$1" = --version ]; then echo "Python 3.12.1"; else exit 1; fi' },
      /no working venv module/,
    ],
    ['no network for pip', { python3: python('echo "ERROR: no route"; exit 1') }, /by pip: ERROR: no route/],
  ])('with %s says so in a sentence, and takes the Docker image', async (_, scripts, sentence) => {
    const { installed, said, calls } = await install({ ...scripts, docker });
    expect(installed).toEqual({ kind: 'docker', image: emulatorImage });
    expect(said.at(-2)).toMatch(sentence);
    expect(said.at(-1)).toContain(emulatorImage);
    expect(calls.slice(-2)).toEqual([
      'docker version --format {{.Server.Version}}',
      `docker pull --quiet ${emulatorImage}`,
    ]);
  });

  it('looks past a Python that is too old', async () => {
    const { installed } = await install({ python3: 'echo "Python 3.8.18"', 'python3.12': python(working) });
    expect(installed.kind).toBe('venv');
  });

  it('says why where there is neither', async () => {
    const { installed } = await install({ docker: 'exit 1' });
    expect(installed).toEqual({
      kind: 'none',
      why: 'Python 3.10 or newer is needed for the local cloud, and none was found. Docker does not answer either.',
    });
  });

  it('says what Docker said where the image cannot be had', async () => {
    const { installed } = await install({ docker: 'if [ "$1" = pull ]; then echo "no such host"; exit 1; fi' });
    expect(installed).toMatchObject({ kind: 'none', why: expect.stringContaining('no such host') });
  });
});
