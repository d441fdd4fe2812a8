// One set-up at a time in a checkout: tests and a demo may start side by side.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {string} path */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return Number.NaN;
  }
}

/** @param {string} path */
function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs `work` while this process holds the lock file; a holder that died is no holder.
 * @template T
 * @param {string} path
 * @param {(line: string) => void} say
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, say, work) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!take(path)) {
    const holder = holderOf(path);
    if (!Number.isNaN(holder) && !isAlive(holder)) rmSync(path, { force: true });
    if (!told) say(`Set-up: another one is at work here (process ${holder}); waiting for it.`);
    told = true;
    await pause(250);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
