// Everything that must hold before a change lands: what is read, side by side, then the tests; the last line is always
// `N passed, N failed`, where a step that failed counts as one failure. What takes long goes on beside the tests, at the lowest priority: many
// of those wait.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from './cloud/run.ts';
import { root } from './cloud/settings.ts';
import { endLeftovers, runVariable } from './setup/leftovers.mjs';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const folders = ['lib', 'functions', 'infra', 'scripts', 'bench', 'examples', 'test'];

const before: readonly Step[] = [
  { name: 'format', command: ['biome', 'format', '.'] },
  { name: 'boundaries', command: ['depcruise', '--config', '.dependency-cruiser.mjs', ...folders] },
  { name: 'unused code', command: ['knip'] },
];

const beside: readonly Step[] = [
  { name: 'types', command: ['tsc', '--project', 'tsconfig.json'] },
  { name: 'synth', command: ['cdk', 'synth', '--quiet', '--no-notices', '--output', 'cdk.out'] },
  { name: 'lint', command: ['eslint', '--max-warnings', '0', '.'] },
];

/** As `nice` counts. */
const LOWEST = 19;

const broken = '0 passed, 1 failed';
const bin = join(root, 'node_modules/.bin');
const thisRun = process.env[runVariable] ?? `check-${process.pid}-${performance.timeOrigin}`;
const env = { ...process.env, [runVariable]: thisRun, PATH: [bin, process.env['PATH']].join(delimiter) };
/** Nobody's account: templates must come out the same with and without credentials. */
const noAccount = {
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'))),
  AWS_CONFIG_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

/** Whether it held; what it said is shown only when it did not. */
async function holds({ name, command: [command, ...args] }: Step, niceness = 0): Promise<boolean> {
  const start = performance.now();
  console.log(`▸ ${name}: ${[command, ...args].join(' ')}`);
  const whole = ['-n', String(niceness), join(bin, command), ...args];
  const { code, all } = await run('nice', whole, { cwd: root, env: noAccount, signal: stopping.signal });
  const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  if (code !== 0) console.log(all.trimEnd());
  console.log(code === 0 ? `  ${name} holds (${took})` : `  ${name} FAILED (${took})`);
  return code === 0;
}

/** Runs every test and answers the line that the reporter wrote; undefined when vitest broke before it could. */
function test(args: readonly string[]): Promise<string | undefined> {
  console.log('▸ tests: vitest run');
  const folder = mkdtempSync(join(tmpdir(), 'millrace-totals-'));
  const file = join(folder, 'totals');
  return new Promise((done) => {
    const vitest = spawn(join(bin, 'vitest'), ['run', ...args], {
      cwd: root,
      env: { ...env, TOTALS_FILE: file },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    stopping.signal.addEventListener('abort', () => vitest.kill('SIGTERM'));
    const end = (code: number | null) => {
      const line = read(file);
      rmSync(folder, { recursive: true, force: true });
      done(code === 0 || line?.endsWith(' 0 failed') === false ? line : undefined);
    };
    vitest.on('error', () => end(null));
    vitest.on('exit', end);
  });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function check(args: readonly string[]): Promise<string> {
  const slow = Promise.all(beside.map((step) => holds(step, LOWEST)));
  const held = await Promise.all(before.map((step) => holds(step)));
  const line = held.includes(false) ? undefined : await test(args);
  return (await slow).includes(false) ? broken : (line ?? broken);
}

const line = await check(process.argv.slice(2));
// Workers of vitest that were ended by a signal stop nothing themselves.
await endLeftovers(thisRun);
process.exitCode = /^[1-9]\d* passed, 0 failed$/.test(line) ? 0 : 1;
console.log(`\n${line}`);
