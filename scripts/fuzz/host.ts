// Runs processes that fuzz, one after the other, so that a crash and a hang are seen; and judges what a process held open.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Done, Task } from './child.ts';
import { type Held, leakIn } from './leaks.ts';

export interface FuzzTask {
  readonly seed: number;
  /** Numbers of runs, `from` and those behind it. */
  readonly from: number;
  readonly runs: number;
  /** Runs under way at a time. */
  readonly atOnce: number;
}

/** After that long a run hangs: a job that has to be revived is so within six minutes. */
const RUN_LIMIT_MS = 600_000;
const STOP_LIMIT_MS = 60_000;
const childFile = fileURLToPath(new URL('./child.ts', import.meta.url));

function start(directory: string): ChildProcess {
  const temporary = join(directory, 'tmp');
  mkdirSync(temporary);
  const env = { ...process.env, TMPDIR: temporary };
  const stdio: ['ignore', 'inherit', 'inherit', 'ipc'] = ['ignore', 'inherit', 'inherit', 'ipc'];
  return fork(childFile, [join(directory, 'service')], {
    ...{ env, stdio, serialization: 'advanced' },
    execArgv: ['--conditions=millrace-source'],
  });
}

/** Of a run that gave no answer. */
const lost = (run: number, broken: string): Done => ({
  ...{ run, what: 'upload', outcome: 'lost', broken },
  ...{ resident: 0, handles: 0 },
});

/** Does the runs in `child`; each ends in an answer, a hang or a crash. Answers early when one of the last two came. */
function doRuns(
  child: ChildProcess,
  { seed, from, runs, atOnce }: FuzzTask,
  tell: (done: Done) => boolean,
): Promise<'done' | 'ended'> {
  const underWay = new Map<number, NodeJS.Timeout>();
  let next = from;
  let told = 0;
  return new Promise((finish) => {
    const end = (how: 'done' | 'ended'): void => {
      for (const timer of underWay.values()) clearTimeout(timer);
      child.removeAllListeners();
      finish(how);
    };
    const fail = (said: string, guilty: readonly number[]): void => {
      for (const run of guilty) tell(lost(run, said));
      child.kill('SIGKILL');
      end('ended');
    };
    const feed = (): void => {
      while (underWay.size < atOnce && next < from + runs) {
        const run = next++;
        underWay.set(
          run,
          setTimeout(() => fail(`the run has not ended after ${RUN_LIMIT_MS / 1000} s`, [run]), RUN_LIMIT_MS),
        );
        child.send({ seed, run } satisfies Task);
      }
    };
    child.on('exit', (code, signal) => fail(`the process ended with ${signal ?? code}`, [...underWay.keys()]));
    child.on('message', (message: Done | 'ready') => {
      if (message === 'ready') return feed();
      clearTimeout(underWay.get(message.run));
      underWay.delete(message.run);
      told++;
      if (!tell(message)) return end('ended');
      if (told === runs) end('done');
      else feed();
    });
  });
}

function stop(child: ChildProcess): Promise<boolean> {
  return new Promise((stopped) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      stopped(false);
    }, STOP_LIMIT_MS);
    child.on('exit', () => {
      clearTimeout(timer);
      stopped(true);
    });
    child.send('stop');
  });
}

export interface Explored {
  readonly end: 'done' | 'ended';
  /** What the process broke as a whole. */
  readonly broken: readonly string[];
  /** Of the process over its runs. */
  readonly held: readonly Held[];
}

/** One process and its runs. `tell` hears of each run, and answers false to end early. */
export async function fuzzOnce(task: FuzzTask, tell: (done: Done) => boolean): Promise<Explored> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-fuzz-'));
  const child = start(directory);
  const held: Held[] = [];
  try {
    const end = await doRuns(child, task, (done) => {
      if (done.resident > 0) held.push(done);
      return tell(done);
    });
    if (child.exitCode !== null || child.signalCode !== null) return { end, broken: [], held };
    const stopped = await stop(child);
    const left = readdirSync(join(directory, 'tmp'));
    const broken = [
      ...(stopped ? [] : ['the process did not stop: a job never ends, or something stays open']),
      ...(left.length === 0 ? [] : [`the runs left temporary files: ${left.slice(0, 5).join()}`]),
      ...leakIn(held),
    ];
    return { end, broken, held };
  } finally {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  }
}
