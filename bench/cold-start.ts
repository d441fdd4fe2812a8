// Cold starts: from the start of a process until its function's handler is there, bundled as it is deployed, against an empty handler
// with the same clients of the SDK, bundled the same way. Both are started in turns; the median of each counts. Beside the time by the
// clock stands the processor's: on a machine that others use too it is the steadier of the two.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withBundle } from '../infra/bundle.ts';
import { coldEnvironment } from './support/cold-environment.ts';
import type { Ratio } from './support/ratio.ts';

const ROUNDS = 25;
const execute = promisify(execFile);

const measured = ['api', 'worker'] as const;

/** Milliseconds. */
interface Start {
  readonly wall: number;
  /** Of all threads, user and system. */
  readonly processor: number;
}

/** What a fresh process takes to load the module, as it measures itself from its own start. */
async function startOnce(file: string, env: NodeJS.ProcessEnv): Promise<Start> {
  const script = `
    await import(${JSON.stringify(file)});
    const [wall, { user, system }] = [performance.now(), process.cpuUsage()];
    console.log(JSON.stringify({ wall, processor: (user + system) / 1000 }));
    process.exit(0);`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', script], { env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Start;
}

function bundled(folder: string, entry: string): string {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x86_64';
  const target = join(folder, entry.replaceAll('/', '-'));
  withBundle({ entries: [entry], native: false, arch }, (bundle) => cpSync(bundle.folder, target, { recursive: true }));
  return join(target, `${entry.split('/').at(-1) ?? ''}.mjs`);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export async function benchColdStart(log: (line: string) => void): Promise<Ratio[]> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cold-'));
  await using environment = await coldEnvironment();
  try {
    const ratios: Ratio[] = [];
    for (const name of measured) {
      const files = { bare: bundled(folder, `bench/bare/cold-${name}`), ours: bundled(folder, `functions/${name}`) };
      ratios.push(...(await inTurns(name, files, environment.variables)));
    }
    for (const { name, bare, ours } of ratios) log(`${name}: ${ours.toFixed(0)} ms, bare ${bare.toFixed(0)} ms`);
    return ratios;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inTurns(
  name: string,
  files: { readonly bare: string; readonly ours: string },
  env: NodeJS.ProcessEnv,
): Promise<Ratio[]> {
  const starts = { bare: [] as Start[], ours: [] as Start[] };
  for (let round = 0; round < ROUNDS; round++)
    for (const side of ['bare', 'ours'] as const) starts[side].push(await startOnce(files[side], env));
  const figures = (of: keyof Start) => ({
    unit: 'ms',
    bare: median(starts.bare.map((start) => start[of])),
    ours: median(starts.ours.map((start) => start[of])),
  });
  return [
    { name: `cold start of ${name}, median`, ...figures('wall'), aim: { most: 1.5 } },
    { name: `cold start of ${name}, processor time`, ...figures('processor') },
  ];
}
