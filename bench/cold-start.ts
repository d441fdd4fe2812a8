// Cold starts: from the start of a process until its function's handler is there, bundled as it is deployed, against an empty handler
// with the same SDK clients. Both are started in turns; the median of each counts.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withBundle } from '../infra/bundle.ts';
import { coldEnvironment } from './support/cold-environment.ts';
import type { Ratio } from './support/ratio.ts';

const ROUNDS = 15;
const execute = promisify(execFile);

interface Candidate {
  readonly name: string;
  readonly entry: string;
}

const measured: readonly Candidate[] = [
  { name: 'api', entry: 'functions/api' },
  { name: 'worker', entry: 'functions/worker' },
];

/** Milliseconds that a fresh process takes to load the module, as it measures itself from its own start. */
async function startOnce(file: string, env: NodeJS.ProcessEnv): Promise<number> {
  const script = `await import(${JSON.stringify(file)}); console.log(performance.now()); process.exit(0);`;
  const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', script], { env });
  return Number(stdout.trim().split('\n').at(-1));
}

function bundled(folder: string, { name, entry }: Candidate): string {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x86_64';
  const target = join(folder, name);
  withBundle({ entries: [entry], native: false, arch }, (bundle) => cpSync(bundle.folder, target, { recursive: true }));
  return join(target, `${entry.split('/').at(-1) ?? ''}.mjs`);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export async function benchColdStart(log: (line: string) => void): Promise<Ratio[]> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cold-'));
  await using environment = await coldEnvironment();
  try {
    const bare = bundled(folder, { name: 'bare', entry: 'bench/bare/cold' });
    const ratios: Ratio[] = [];
    for (const candidate of measured) ratios.push(await inTurns(candidate.name, bare, bundled(folder, candidate)));
    for (const { name, bare: base, ours } of ratios) log(`${name}: ${ours.toFixed(0)} ms, bare ${base.toFixed(0)} ms`);
    return ratios;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }

  async function inTurns(name: string, bareFile: string, ourFile: string): Promise<Ratio> {
    const times = { bare: [] as number[], ours: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      times.bare.push(await startOnce(bareFile, environment.variables));
      times.ours.push(await startOnce(ourFile, environment.variables));
    }
    const figures = { bare: median(times.bare), ours: median(times.ours) };
    return { name: `cold start of ${name}, median`, unit: 'ms', ...figures, aim: { most: 1.5 } };
  }
}
