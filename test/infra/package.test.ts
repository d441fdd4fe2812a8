// The package as a user has it: packed by npm, unpacked into the node_modules of another project, with nothing of this checkout around it
// but the packages that it depends on, linked so that no registry is needed.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nativeModules } from '../../infra/native.ts';
import { freePort } from '../../scripts/cloud/port.ts';
import { run } from '../../scripts/cloud/run.ts';
import { root } from '../../scripts/cloud/settings.ts';

const bin = join(root, 'node_modules/.bin');
/** As a user's shell: none of the conditions under which the checkout reads its sources. */
const env = { ...process.env, NODE_OPTIONS: '', PATH: `${bin}:${process.env['PATH'] ?? ''}` };

const files = {
  'package.json': '{ "name": "shop", "type": "module", "private": true }',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{
        strict: true,
        module: 'nodenext',
        target: 'es2023',
        lib: ['es2024'],
        types: ['node'],
        noEmit: true,
        skipLibCheck: true,
      },
      ...{ exactOptionalPropertyTypes: true, allowImportingTsExtensions: true, erasableSyntaxOnly: true },
    },
    include: ['*.ts'],
  }),
  'kinds.ts': `
    import { defineJob, definePipeline, defineStage, seconds, snooze } from 'millrace';
    import * as z from 'zod';

    const greeting = defineJob({
      kind: 'shop.greeting',
      input: z.strictObject({ name: z.string() }),
      timeout: seconds(10),
      batch: true,
      run: async (ctx, { name }) => (ctx.cursor === undefined && name === '' ? snooze(seconds(1)) : \`Hello, \${name}!\`),
    });
    const count = defineStage({ name: 'count', output: z.number(), run: async (_ctx, words: string[]) => words.length });
    const square = defineStage({ name: 'square', output: z.number(), run: async (_ctx, length: number) => length ** 2 });
    const counting = definePipeline('shop.counting', { input: z.array(z.string()), version: '1' }).stage(count).stage(square);
    // @ts-expect-error: a number is no list of words, and the compiler says so.
    definePipeline('shop.wrong', { input: z.number(), version: '1' }).stage(count);

    export const kinds = [greeting, counting];
  `,
  'main.ts': `
    import { startEmbedded } from 'millrace/embedded';
    import { kinds } from './kinds.ts';

    const [port = ''] = process.argv.slice(2);
    const service = await startEmbedded({ directory: 'data', port: Number(port), kinds, log: { info() {}, warn() {}, error() {} } });
    const headers = { authorization: \`Bearer \${await service.makeKey('shop', 'main', 'test')}\`, prefer: 'wait=20', 'content-type': 'application/json' };
    for (const job of [{ kind: 'shop.greeting', input: { name: 'Ada' } }, { kind: 'shop.counting', input: ['a', 'b', 'c'] }]) {
      const answer = await fetch(\`\${service.url}/v1/jobs\`, { method: 'POST', headers, body: JSON.stringify(job) });
      const { status, result } = (await answer.json()) as { status: string; result: unknown };
      console.log(status, JSON.stringify(result));
    }
    console.log(await service.stop());
  `,
  'simulated.ts': `
    import { simulateKinds } from 'millrace/testing';
    import { kinds } from './kinds.ts';

    const orders = [{ kind: 'shop.greeting', input: { name: 'Ada' } }, { kind: 'shop.counting', input: ['a'] }] as const;
    const { broken, rules } = await simulateKinds(kinds, { orders, count: 3 });
    console.log(broken.length, (rules['succeed'] ?? 0) > 0);
  `,
  'app.ts': `
    import { App, Stack } from 'aws-cdk-lib';
    import { Millrace } from 'millrace/infra';

    const app = new App({ outdir: 'cdk.out', analyticsReporting: false });
    const millrace = new Millrace(new Stack(app, 'Shop'), 'Millrace', { kinds: new URL('./kinds.ts', import.meta.url) });
    app.synth();
    console.log(Object.keys(millrace.outputs).join(' '));
  `,
};

let project: string;
const inProject = (command: string, ...args: string[]) => run(join(bin, command), args, { cwd: project, env });

function link(folder: string, scope = ''): void {
  for (const name of readdirSync(join(root, 'node_modules', scope))) {
    if (name.startsWith('.')) continue;
    const path = join(scope, name);
    if (name.startsWith('@')) link(folder, name);
    else symlinkSync(join(root, 'node_modules', path), join(folder, path));
  }
}

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'millrace-package-'));
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: root, env });
  expect(packed.code, packed.all).toBe(0);
  const installed = join(project, 'node_modules/millrace');
  mkdirSync(installed, { recursive: true });
  for (const scope of readdirSync(join(root, 'node_modules')).filter((name) => name.startsWith('@')))
    mkdirSync(join(project, 'node_modules', scope));
  link(join(project, 'node_modules'));
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz')) ?? '';
  const unpacked = await run('tar', ['-xzf', tarball, '--strip-components', '1', '-C', installed], { cwd: project });
  expect(unpacked.code, unpacked.all).toBe(0);
  // DuckDB for the functions, which the bundling otherwise fetches for their platform.
  nativeModules('arm64');
  symlinkSync(join(root, '.cache'), join(installed, 'dist/.cache'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
}, 600_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the package', () => {
  it('type-checks a file of kinds, the embedded service and a CDK app', async () => {
    expect((await inProject('tsc')).all).toBe('');
  });

  it('runs the kinds embedded', async () => {
    const { all } = await inProject('node', 'main.ts', String(await freePort()));
    expect(all.trim().split('\n')).toEqual(['succeeded "Hello, Ada!"', 'succeeded 9', 'drained']);
  });

  it('runs the kinds in the simulation', async () => {
    expect((await inProject('node', 'simulated.ts')).all.trim()).toBe('0 true');
  });

  it('builds the stack, with the code of the kinds in the functions that know kinds', async () => {
    const { all } = await inProject('node', 'app.ts');
    expect(all).toContain('ApiUrl TableName');
    const assets = readdirSync(join(project, 'cdk.out')).filter((name) => name.startsWith('asset.'));
    const knowing = assets.flatMap((asset) => {
      const folder = join(project, 'cdk.out', asset);
      const bundles = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
      const knows = bundles.some((name) => readFileSync(join(folder, name), 'utf8').includes('`Hello, ${'));
      return knows ? bundles.filter((name) => /^(api|worker|stage|settle|reaper)\.mjs$/.test(name)) : [];
    });
    expect(knowing.sort()).toEqual(['api.mjs', 'stage.mjs', 'worker.mjs']);
  });
});
