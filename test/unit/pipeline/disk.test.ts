import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lazyFolder, removeLeavings } from '../../../lib/pipeline/folder.ts';
import { writeOnce } from '../../../lib/pipeline/write-once.ts';
import { createMemoryObjects } from '../../support/memory-objects.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'folder-test-'));
});
afterEach(() => rm(root, { recursive: true }));

/** Makes files in a folder, one after the other, until that is over or the folder is gone. */
async function fill(path: string, isOver: () => boolean): Promise<void> {
  for (let made = 0; !isOver(); made++)
    try {
      await writeFile(join(path, String(made)), '');
    } catch {
      return;
    }
}

describe('the folder of a step', () => {
  it('is made on first use, once, and removed with all that is in it', async () => {
    const folder = lazyFolder(root);
    expect(await readdir(root)).toEqual([]);
    const [path, same] = await Promise.all([folder.path(), folder.path()]);
    expect(same).toBe(path);
    await writeFile(join(path, 'big'), 'x');
    await folder.remove();
    expect(await readdir(root)).toEqual([]);
  });

  it('needs no removal where it was never used', async () => {
    await lazyFolder(root).remove();
    expect(await readdir(root)).toEqual([]);
  });

  it('that resists is removed before the next is made, and no reason for a step to fail', async () => {
    const folder = lazyFolder(root);
    const path = await folder.path();
    let isOver = false;
    const filled = Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        await mkdir(join(path, name));
        await fill(join(path, name), () => isOver);
      }),
    );
    await folder.remove();
    isOver = true;
    await filled;
    const next = await lazyFolder(root).path();
    expect(await readdir(root)).toEqual([basename(next)]);
  });

  it('of a process that is gone is removed, and that of a live one is kept', async () => {
    const live = await lazyFolder(root).path();
    const gone = ['millrace-step-999999999-0-abc', `millrace-step-${process.pid}-${threadId}-before`];
    const kept = ['other', `millrace-step-${process.ppid}-0-abc`, `millrace-step-${process.pid}-${threadId + 1}-abc`];
    for (const name of [...gone, ...kept]) await mkdir(join(root, name));
    await removeLeavings(root);
    expect((await readdir(root)).map((name) => join(root, name)).sort()).toEqual(
      [live, ...kept.map((name) => join(root, name))].sort(),
    );
  });
});

describe('an object of one attempt', () => {
  it('is written once; the same write sent twice is the same, and another is refused', async () => {
    const objects = createMemoryObjects();
    await writeOnce(objects, 'k', 'one');
    await writeOnce(objects, 'k', 'one');
    await expect(writeOnce(objects, 'k', 'two')).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(Buffer.from((await objects.get('k')) ?? []).toString()).toBe('one');
  });
});
