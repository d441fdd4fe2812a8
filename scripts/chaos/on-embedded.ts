// A hard kill of the host, embedded: the one process dies by SIGKILL again and again while jobs run, and is started on the same folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { seededChance } from '../../lib/core/chance.ts';
import type { Scope, TenantId, WorkspaceId } from '../../lib/core/ids.ts';
import { systemClock } from '../../lib/core/time.ts';
import { createSqliteStore } from '../../lib/store/sqlite/store.ts';
import { freePort } from '../cloud/port.ts';
import { type Allowance, recoveries, reportBounds, type Span } from './bounds.ts';
import { type Door, submitAll, type Submitted } from './load.ts';
import type { ChaosOptions } from './on-cloud.ts';
import { judge, report, untilEnded } from './verdict.ts';
import { drawWork } from './work.ts';

const KILLS = 3;
const PATIENCE_MS = 600_000;
const ALLOWANCE: Allowance = { ms: 5000, why: 'a host that has just started' };
const scope: Scope = { tenant: 'default' as TenantId, workspace: 'default' as WorkspaceId };

interface Host {
  readonly process: ChildProcess;
  readonly door: Door;
}

async function startHost(directory: string, port: number): Promise<Host> {
  const file = new URL('./host.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [file, directory, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout }))
    return { process: child, door: JSON.parse(line) as Door };
  throw new Error('The embedded service did not start.');
}

const killHard = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });

/** Answers whether every law was kept. */
export async function chaosEmbedded({ jobs, seed, say }: ChaosOptions): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
  const port = await freePort();
  let host = await startHost(directory, port);
  const outages: Span[] = [];
  try {
    const chance = seededChance(seed);
    const submitting = submitAll({ ...host.door }, drawWork(jobs, seed), () => undefined, 4);
    for (let kill = 1; kill <= KILLS; kill++) {
      await pause(1500 + chance.next() * 2500);
      const from = systemClock.now();
      await killHard(host.process);
      say(`The host was killed outright, ${kill} of ${KILLS} times, and is started again.`);
      host = await startHost(directory, port);
      outages.push({ from, until: systemClock.now() });
    }
    return await settle(directory, await submitting, outages, say);
  } finally {
    await killHard(host.process);
    await rm(directory, { recursive: true, force: true });
  }
}

async function settle(
  directory: string,
  submitted: readonly Submitted[],
  outages: readonly Span[],
  say: ChaosOptions['say'],
): Promise<boolean> {
  const store = createSqliteStore({ path: join(directory, 'millrace.sqlite'), clock: systemClock });
  try {
    const rows = await untilEnded(store, scope, PATIENCE_MS, (open) => say(`${open} jobs have not ended yet.`));
    await pause(1000);
    const verdict = await judge(store, rows, submitted);
    const { lines, kept } = report(verdict);
    // The host dies as a whole: no process of a stage is killed alone, and nobody looks at the file from outside meanwhile.
    const bounds = reportBounds(recoveries(verdict.timelines, { outages, stageKills: [] }), ALLOWANCE);
    for (const line of [...lines, ...bounds.lines]) say(line);
    return kept && bounds.kept;
  } finally {
    store.close();
  }
}
