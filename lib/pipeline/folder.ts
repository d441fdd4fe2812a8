// Local disk for one invocation. A killed process cannot clean up, and the disk of a Lambda outlives it: the next one removes its leavings.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const PREFIX = 'millrace-step-';
/** Folders that this process made and has not removed. */
const ours = new Set<string>();
/** Those of them that could not be removed. */
const left = new Set<string>();
let leavingsGone: Promise<void> | undefined;

export interface Folder {
  /** Makes the folder on first use. */
  path(): Promise<string>;
  /**
   * Never rejects, or the step would come to that instead of what it came to. A folder resists where a file is made in it meanwhile, as by a
   * stream that was given up before its file was open: then it is removed before the next is made.
   */
  remove(): Promise<void>;
}

export function lazyFolder(root = tmpdir()): Folder {
  let made: Promise<string> | undefined;
  return {
    path: () => (made ??= makeFolder(root)),
    remove: async () => {
      const path = await made?.catch(() => undefined);
      if (path !== undefined) await removeOurs(path);
    },
  };
}

async function makeFolder(root: string): Promise<string> {
  leavingsGone ??= removeLeavings(root);
  await leavingsGone;
  await Promise.all([...left].map(removeOurs));
  const path = await mkdtemp(join(root, `${PREFIX}${process.pid}-${threadId}-`));
  ours.add(path);
  return path;
}

async function removeOurs(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
    for (const set of [ours, left]) set.delete(path);
  } catch {
    left.add(path);
  }
}

/** Removes the folders of processes that are gone, but for those that it may not remove: another user's, where they share a disk. */
export async function removeLeavings(root: string): Promise<void> {
  const leavings = (await readdir(root)).filter((name) => isLeaving(root, name));
  await Promise.allSettled(leavings.map((name) => rm(join(root, name), { recursive: true, force: true })));
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
