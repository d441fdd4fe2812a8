import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInstance, runningInstance, stopInstance, writeInstance } from '../../../scripts/cloud/instance.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-instance-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A process whose command line reads like that of `path`, once it is ready to be stopped. */
async function aProcess(path: string): Promise<number> {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(
    file,
    'process.on("SIGTERM", () => process.exit()); setInterval(() => {}, 1000); console.log("ready");',
  );
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await new Promise((done) => child.stdout.once('data', done));
  return child.pid ?? 0;
}

const place = { url: 'http://127.0.0.1:1', apiKey: 'mr_key' };

describe('a running instance', () => {
  it('is found by its file, which the user alone may read', async () => {
    const pid = await aProcess('scripts/cloud.ts');
    await writeInstance('cloud', { ...place, pid }, folder);
    expect(await runningInstance('cloud', folder)).toEqual({ ...place, pid });
    expect(statSync(join(folder, 'cloud.json')).mode & 0o077).toBe(0);
  });

  it('is stopped and forgotten', async () => {
    const pid = await aProcess('scripts/dev.ts');
    await writeInstance('dev', { ...place, pid }, folder);
    expect(await stopInstance('dev', folder)).toEqual(['dev: stopped.']);
    expect(await readInstance('dev', folder)).toBeUndefined();
    expect(await stopInstance('dev', folder)).toEqual([]);
  });

  it('that died leaves its emulator to be stopped, and no other process of that number', async () => {
    const emulatorPid = await aProcess('bin/ministack');
    await writeInstance('cloud', { ...place, pid: process.pid, emulatorPid }, folder);
    expect(await runningInstance('cloud', folder)).toBeUndefined();
    expect(await stopInstance('cloud', folder)).toEqual([
      'cloud: was not running any more.',
      'cloud: stopped the emulator that it had left behind.',
    ]);
  });
});
