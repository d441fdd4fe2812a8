// Ends what a run left behind in process groups of their own: emulators start in one, so that Ctrl-C does not reach them before whoever
// must stop them in order. What belongs to a run is told by a variable of the environment, which every descendant inherits.
import { spawnSync } from 'node:child_process';
import { argv } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The variable that names the run; `.ci/run` sets it, and scripts/check.ts where nobody has. */
export const runVariable = 'MILLRACE_RUN';

/**
 * The process groups in which a process of the run lives, but for this process' own.
 * @param {string} run
 */
function groupsOf(run) {
  const { stdout } = spawnSync('ps', ['eww', '-A', '-o', 'pid=', '-o', 'pgid=', '-o', 'args='], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const lines = stdout.split('\n').map((line) => line.trim());
  const idsOf = (/** @type {string} */ line) => line.split(/\s+/, 2).map(Number);
  const own = lines.map(idsOf).find(([pid]) => pid === process.pid)?.[1];
  const marked = lines.filter((line) => line.split(/\s+/).includes(`${runVariable}=${run}`));
  return new Set(marked.map((line) => idsOf(line)[1] ?? 0).filter((group) => group > 1 && group !== own));
}

/**
 * @param {Iterable<number>} groups
 * @param {NodeJS.Signals} signal
 */
function signalGroups(groups, signal) {
  for (const group of groups) {
    try {
      process.kill(-group, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Resolves when no process of the run is left outside this process' group; what does not heed SIGTERM is killed after `patienceMs`.
 * @param {string} run
 * @param {number} [patienceMs]
 */
export async function endLeftovers(run, patienceMs = 5_000) {
  const deadline = performance.now() + patienceMs;
  let left = groupsOf(run);
  signalGroups(left, 'SIGTERM');
  while (left.size > 0) {
    await pause(100);
    left = groupsOf(run);
    if (performance.now() > deadline) signalGroups(left, 'SIGKILL');
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await endLeftovers(argv[2] ?? '');
