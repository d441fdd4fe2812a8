import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../scripts/cloud/run.ts';
import { root } from '../../../scripts/cloud/settings.ts';
import { standIns } from '../../support/stand-in.ts';

/** Runs .ci/run with this body of `npm`; answers its exit code and the last line that it printed. */
async function ci(npm: string, env: Record<string, string> = {}) {
  using commands = standIns({ npm });
  const path = `${commands.folder}:${process.env['PATH'] ?? ''}`;
  const { code, out } = await run(join(root, '.ci/run'), [], { env: { ...process.env, ...env, PATH: path } });
  return { code, last: out.trimEnd().split('\n').at(-1), calls: commands.calls(), out };
}

async function isGone(pid = ''): Promise<boolean> {
  expect(pid).toMatch(/^\d+$/);
  const { out } = await run('ps', ['-o', 'stat=', '-p', pid]);
  return /^(Z|$)/.test(out.trim());
}

function disposableFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-ci-'));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

describe('.ci/run', () => {
  it('runs npm test and ends with its line, whatever was printed after it', async () => {
    const { code, last, calls } = await ci('echo "7 passed, 0 failed"; echo "a notice of npm"');
    expect({ code, last, calls }).toEqual({ code: 0, last: '7 passed, 0 failed', calls: ['npm test'] });
  });

  it('never ends green when the command did not', async () => {
    expect(await ci('echo "7 passed, 0 failed"; exit 1')).toMatchObject({ code: 1, last: '7 passed, 1 failed' });
    expect(await ci('echo "7 passed, 2 failed"; exit 1')).toMatchObject({ code: 1, last: '7 passed, 2 failed' });
    expect(await ci('exit 1')).toMatchObject({ code: 1, last: '0 passed, 1 failed' });
  });

  it('does not take silence for success', async () => {
    expect(await ci('exit 0')).toMatchObject({ code: 1, last: '0 passed, 1 failed' });
  });

  it('stops what takes too long, and all that it started', async () => {
    const { code, last, out } = await ci('sleep 300 & echo "child $!"; wait', { CI_LIMIT_SECONDS: '1' });
    expect(last).toBe('0 passed, 1 failed');
    expect(code).not.toBe(0);
    expect(await isGone(/child (\d+)/.exec(out)?.[1])).toBe(true);
  });

  it('stops what was started in a session of its own, though npm ends at once', async () => {
    const detached = 'setsid sh -c \'trap "" TERM; echo "detached $$"; sleep 300; sleep 300\' & wait';
    const { last, out } = await ci(detached, { CI_LIMIT_SECONDS: '1' });
    expect(last).toBe('0 passed, 1 failed');
    expect(await isGone(/detached (\d+)/.exec(out)?.[1])).toBe(true);
  });

  it('lets what npm started stop in order before it kills', async () => {
    using place = disposableFolder();
    const orderly = `sh -c 'trap "sleep 1; echo saved > ${place.folder}/saved; exit" TERM; sleep 300 & wait' & wait`;
    await ci(orderly, { CI_LIMIT_SECONDS: '1' });
    expect(existsSync(join(place.folder, 'saved'))).toBe(true);
  });
});
