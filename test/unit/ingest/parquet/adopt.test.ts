import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { adoptParquet } from '../../../../lib/ingest/parquet/adopt.ts';
import { defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';
import { withName } from './edit-footer.ts';

const corpus = join(import.meta.dirname, '../../../corpus/files/parquet');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-adopt-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// It may be another name of the object that was uploaded.
it.each(await readdir(corpus))('leaves %s as it was, whatever becomes of it', async (name) => {
  const [path, target] = [join(corpus, name), join(folder, name)];
  const before = await readFile(path);
  await adoptParquet({ path, target, workDir: folder, limits }).catch((thrown: unknown) => {
    if (!(thrown instanceof Fault)) throw thrown;
  });
  expect((await readFile(path)).equals(before)).toBe(true);
});

// Two fields of one name would be one in an answer, and a struct without names is none to DuckDB.
it.each([
  ["{'x': 1, 'y': 2}", '', 'a field without a name'],
  ["[{'x': [1]}]", '', 'a field without a name'],
  ["map {1: {'x': 1}}", '', 'a field without a name'],
  ["{'x': 1, 'y': 2}", 'y\0z', 'a field whose name holds NUL'],
])('refuses %s with a field that is called %j', async (value, called, said) => {
  const [path, target] = [join(folder, 'fields.parquet'), join(folder, 'never.parquet')];
  const settings = { workDir: folder, limits };
  await withEngine(settings, (engine) => engine.run(`COPY (SELECT ${value} AS c) TO ${literal(path)}`));
  const names = await withEngine(settings, (engine) =>
    engine.rows(`SELECT name FROM parquet_schema(${literal(path)})`),
  );
  const place = names.findIndex(({ name }) => name === 'x') - 1;
  await writeFile(path, withName(await readFile(path), place, called));
  const adopted = adoptParquet({ path, target, ...settings });
  await expect(adopted).rejects.toMatchObject({ code: 'UNSUPPORTED_SCHEMA', detail: expect.stringContaining(said) });
  await rm(path);
});
