import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import { adoptParquet } from '../../../../lib/ingest/parquet/adopt.ts';
import { defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';

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
