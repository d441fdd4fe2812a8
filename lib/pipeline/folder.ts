// Local disk for one invocation. A killed process cannot clean up, and the disk of a Lambda outlives it: the next one removes its leavings.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const PREFIX = 'millrace-step-';
/** Folders that this process made and has not removed. */
const ours = new Set<string>();
let leavingsGone: Promise<void> | undefined;

export interface Folder {
  /** Makes the folder on first use. */
  path(): Promise<string>;
  remove(): Promise<void>;
}

export function lazyFolder(root = tmpdir()): Folder {
  let made: Promise<string> | undefined;
  return {
    path: () => (made ??= makeFolder(root)),
    remove: async () => {
      const path = await made?.catch(() => undefined);
      if (path === undefined) return;
      await rm(path, { recursive: true, force: true });
      ours.delete(path);
    },
  };
}

async function makeFolder(root: string): Promise<string> {
  leavingsGone ??= removeLeavings(root);
  await leavingsGone;
  const path = await mkdtemp(join(root, `${PREFIX}${process.pid}-${threadId}-`));
  ours.add(path);
  return path;
}

/** Removes the folders of processes that are gone. */
export async function removeLeavings(root: string): Promise<void> {
  const left = (await readdir(root)).filter((name) => isLeaving(root, name));
  await Promise.all(left.map((name) => rm(join(root, name), { recursive: true, force: true })));
}

/** A process that is restarted in place may have the id of the one before: then only what this one made is alive. */
function isLeaving(root: string, name: string): boolean {
  const [, pid, thread] = new RegExp(`^${PREFIX}(\\d+)-(\\d+)-`).exec(name) ?? [];
  if (pid === undefined || ours.has(join(root, name))) return false;
  if (Number(pid) === process.pid) return Number(thread) === threadId;
  return !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
