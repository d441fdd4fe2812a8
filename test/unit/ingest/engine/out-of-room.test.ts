// What an ingest says where DuckDB has too little memory or disk: a code of its own, and not one that is tried again for nothing.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { readTable } from '../../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits, type ReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { outcomeOfThrow } from '../../../../lib/job/run/outcome.ts';
import { toFault } from '../../../../lib/query/errors.ts';
import { startIngestApp } from '../../../support/ingest-app.ts';
import { inFolder } from '../world.ts';

const MIB = 2 ** 20;
const wide = 'SELECT range AS n, sha256(range::VARCHAR) AS t, sha256(t) AS u FROM range(400000)';

const runs = (sql: string, limits: Partial<ReadLimits>) =>
  inFolder((workDir) =>
    withEngine({ workDir, limits: { ...defaultReadLimits, ...limits } }, (engine) => engine.run(sql)),
  );

describe('a statement without room', () => {
  it('names the memory that it may have', async () => {
    const limits = { engineMemoryBytes: 16 * MIB, engineThreads: 1 };
    await expect(runs(`SELECT list(t) FROM (${wide})`, limits)).rejects.toMatchObject({
      code: 'INGEST_MEMORY',
      retriable: false,
      detail: expect.stringMatching(/^DuckDB may hold 16 MiB of memory: .*\.$/),
    });
  });

  it('names the disk that it may put aside on', async () => {
    const limits = { engineMemoryBytes: 32 * MIB, engineThreads: 1, engineSpillBytes: MIB };
    await expect(runs(`CREATE TEMP TABLE kept AS ${wide}`, limits)).rejects.toMatchObject({
      code: 'INGEST_DISK',
      retriable: false,
      detail: 'DuckDB may put aside 1 MiB on the disk, and needs more.',
    });
  });

  it('is tried again where the disk itself is full', async () => {
    await expect(runs(`COPY (${wide}) TO '/dev/full' (FORMAT parquet)`, {})).rejects.toMatchObject({
      code: 'DISK_FULL',
      retriable: true,
      detail: expect.not.stringContaining('/dev/full'),
    });
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(outcomeOfThrow(full)).toMatchObject({ kind: 'retry', error: { code: 'DISK_FULL' } });
  });

  it('is no fault of the store where it is a query', () => {
    const error = { type: 'IO', message: 'Could not write file "/x": No space left on device', position: undefined };
    expect(toFault(error, { sql: '', secrets: [] }).code).toBe('QUERY_DISK');
  });
});

describe('a file that needs more memory than an ingest may hold', () => {
  it('is no damaged Parquet', () =>
    inFolder(async (workDir) => {
      const path = join(workDir, 'a.parquet');
      const settings = { workDir, limits: defaultReadLimits };
      await withEngine(settings, (engine) => engine.run(`COPY (${wide}) TO ${literal(path)} (FORMAT parquet)`));
      const limits = { ...defaultReadLimits, engineMemoryBytes: MIB };
      await expect(readTable({ path, name: 'a.parquet', workDir, limits })).rejects.toMatchObject({
        code: 'INGEST_MEMORY',
      });
    }));

  it('fails its job at once, with nothing left to see', async () => {
    await using app = await startIngestApp(() => ({ limits: { ...defaultReadLimits, engineMemoryBytes: MIB } }));
    const dataset = await app.dataset('d');
    const job = await app.upload(dataset, 'a.csv', `n,t\n${'1,x\n'.repeat(1000)}`);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'INGEST_MEMORY' } });
    expect(await app.tables(dataset)).toEqual({});
  });
});
