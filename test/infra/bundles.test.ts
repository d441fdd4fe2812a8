import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withBundle } from '../../infra/bundle.ts';
import { functionAt, type Synthesised, synthService } from './support/synth.ts';

/** The machine that an ELF file is made for (e_machine), by the name that Lambda has for it. */
const machines: Readonly<Record<number, string>> = { 62: 'x86_64', 183: 'arm64' };
const bindingMachine = (file: string) => machines[readFileSync(file).readUInt16LE(18)];

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const bytesOf = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0);
const bytesIn = (folder: string) => bytesOf(filesIn(folder));

function assetOf(stack: Synthesised, name: string): string {
  const key = functionAt(stack, `${name}.handler`)[1].Properties.Code.S3Key as string;
  return join(stack.folder, `asset.${key.replace('.zip', '')}`);
}
const nativeFiles = (folder: string) => filesIn(folder).filter((file) => /\.(node|so)$/.test(file));

describe.each(['arm64', 'x86_64'])('the code for %s', (arch) => {
  it('holds DuckDB for that architecture where it is used, nowhere else, and fits what Lambda takes', () => {
    using stack = synthService({ arch });
    for (const name of ['query', 'stage']) {
      const natives = nativeFiles(assetOf(stack, name));
      expect(natives.map((file) => [file.split('/').at(-1), bindingMachine(file)]).sort()).toEqual([
        ['duckdb.node', arch],
        ['libduckdb.so', arch],
      ]);
      expect(bytesIn(assetOf(stack, name))).toBeLessThan(250 * 1024 ** 2);
    }
    for (const name of ['api', 'worker', 'settle', 'reaper', 'relay', 'dead-letter', 'inbox']) {
      expect(nativeFiles(assetOf(stack, name))).toEqual([]);
      expect(bytesIn(assetOf(stack, name))).toBeLessThan(5 * 1024 ** 2);
    }
    expect(functionAt(stack, 'query.handler')[1].Properties.Architectures).toEqual([arch]);
    expect(existsSync(join(assetOf(stack, 'worker'), 'heartbeat-thread.mjs'))).toBe(true);
    expect(existsSync(join(assetOf(stack, 'stage'), 'heartbeat-thread.mjs'))).toBe(true);
    expect(existsSync(join(assetOf(stack, 'query'), 'query-worker.mjs'))).toBe(true);
    expect(bytesOf(loadedAtStart(join(assetOf(stack, 'stage'), 'survey-thread.mjs')))).toBeLessThan(100_000);
  });
});

describe('a bundle', () => {
  const build = (entry: string, native = false) =>
    withBundle({ entries: [entry], native, arch: 'x86_64' }, ({ folder, hash }) => ({ hash, files: filesIn(folder) }));

  it('is refused where it would load DuckDB at its start and has none', () => {
    expect(() => build('lib/query/query-worker')).toThrow('query-worker loads @duckdb/node-api at its start');
  });

  it('has a hash that only its code changes', () => {
    const relay = build('functions/relay');
    expect(build('functions/relay').hash).toBe(relay.hash);
    expect(build('functions/settle').hash).not.toBe(relay.hash);
    for (const file of relay.files) expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['api', ['CronPattern: ', 'operationId:"putSchedule"', 'operationId:"listDatasets"', 'S3Client=class ']],
    ['worker', ['CronPattern: ', 'S3Client=class ', 'SFNClient=class ', 'BedrockRuntimeClient=class ']],
    ['query', ['BedrockRuntimeClient=class ']],
  ])('of %s has what most of its invocations do without, but does not load it at its start', (name, marks) => {
    const texts = (files: readonly string[]) => files.map((file) => readFileSync(file, 'utf8')).join('');
    const [whole, start] = withBundle(
      { entries: [`functions/${name}`], native: false, arch: 'x86_64' },
      ({ folder }) => [texts(filesIn(folder)), texts(loadedAtStart(join(folder, `${name}.mjs`)))],
    );
    expect(marks.filter((mark) => !whole.includes(mark))).toEqual([]);
    expect(marks.filter((mark) => start.includes(mark))).toEqual([]);
  });
});

/** A module and what it imports, but for what it loads with `import()`. */
function loadedAtStart(entry: string): string[] {
  const seen = new Set([entry]);
  for (const file of seen)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)"(\.\/[^"]+)"/g))
      seen.add(join(file, '..', path));
  return [...seen];
}
