// Runs a script under the Node of node_modules, whatever Node the system has, and ends as it ends.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `millrace` and `#own-kinds` (package.json) then mean the sources, not a build of them. */
const conditions = '--conditions=millrace-source';
const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'node_modules/.bin');

/**
 * The exit code of the script. A signal to this process is passed on as SIGTERM, and the script decides when it is done;
 * Ctrl-C reaches it from the terminal as well, so scripts take a second signal for the first.
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export function relaunch(script, args) {
  const child = spawn(join(bin, 'node'), [conditions, join(root, script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) },
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill('SIGTERM'));
  }
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code, signal) => done(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  });
}
