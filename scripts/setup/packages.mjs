// Brings node_modules to what package-lock.json says. What npm last installed stands in its own hidden lockfile, so no
// stamp of ours can go stale; where both agree this takes a few milliseconds.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {{ version?: string, optional?: boolean, link?: boolean }} Package
 * @typedef {{ packages?: Record<string, Package> }} Lockfile
 */

/** @param {string} path @returns {Lockfile | undefined} */
function readLockfile(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Why npm has to run, or undefined when it need not. Optional packages depend on the platform and are left out.
 * @param {Lockfile | undefined} wanted
 * @param {Lockfile | undefined} installed
 * @returns {string | undefined}
 */
export function whyInstall(wanted, installed) {
  if (wanted?.packages === undefined) throw new Error('package-lock.json is missing or cannot be read.');
  if (installed?.packages === undefined) return 'node_modules is missing';
  for (const [path, { version, optional }] of Object.entries(wanted.packages)) {
    if (path === '' || optional === true) continue;
    if (installed.packages[path]?.version !== version)
      return `${path.replace(/^node_modules\//, '')} is not at ${version}`;
  }
  return undefined;
}

/** @param {string} folder */
const reasonToInstall = (folder) =>
  whyInstall(
    readLockfile(join(folder, 'package-lock.json')),
    existsSync(join(folder, 'node_modules/.bin/node'))
      ? readLockfile(join(folder, 'node_modules/.package-lock.json'))
      : undefined,
  );

/** npm as it was called, else as it is found. @returns {[string, string[]]} */
function npm() {
  const path = process.env['npm_execpath'];
  return path?.endsWith('npm-cli.js') === true ? [process.execPath, [path]] : ['npm', []];
}

/**
 * @param {(line: string) => void} say
 * @param {string} [folder]
 */
export async function installPackages(say, folder = root) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Error(`Node 20 or newer is needed; this is ${process.version}.`);
  }
  if (reasonToInstall(folder) === undefined) return;
  await withLock(join(folder, '.cache/packages.lock'), say, () => {
    const reason = reasonToInstall(folder);
    if (reason === undefined) return;
    say(`Set-up: npm ci (${reason}).`);
    const [command, args] = npm();
    const { status } = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const still = status === 0 ? reasonToInstall(folder) : `npm ci ended with ${status ?? 'no answer'}`;
    if (still === undefined) return;
    throw new Error(
      `Set-up failed: ${still}. npm must reach its registry and may not ignore install scripts ` +
        '(the package "node" brings the pinned Node by one); then run this again.',
    );
  });
}
