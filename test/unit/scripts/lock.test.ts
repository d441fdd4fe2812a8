import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../scripts/setup/lock.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const silent = () => undefined;

describe('the lock of the set-up', () => {
  it('is held by one at a time, and the next one says that it waits', async () => {
    const path = join(folder, 'lock');
    const order: string[] = [];
    const said: string[] = [];
    let release = silent;
    const first = withLock(path, silent, async () => {
      order.push('first in');
      await new Promise<void>((done) => {
        release = () => {
          order.push('first out');
          done();
        };
      });
    });
    const second = withLock(
      path,
      (line) => {
        said.push(line);
        release();
      },
      () => order.push('second in'),
    );
    await Promise.all([first, second]);
    expect(order).toEqual(['first in', 'first out', 'second in']);
    expect(said).toEqual([`Set-up: another one is at work here (process ${process.pid}); waiting for it.`]);
  });

  it('is given back when the work fails', async () => {
    const path = join(folder, 'lock');
    await expect(withLock(path, silent, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(path)).toBe(false);
  });

  it('is taken from a holder that died', async () => {
    const path = join(folder, 'lock');
    const { pid } = spawnSync(process.execPath, ['--eval', '']);
    writeFileSync(path, String(pid));
    expect(await withLock(path, silent, () => 'done')).toBe('done');
  });
});
