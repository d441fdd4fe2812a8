import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generateCsv } from '../../bench/csv/generate.ts';
import { runSide } from '../../bench/csv/run-side.ts';

it('a CSV of 300 MB is read in a process of less than 512 MB of resident memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-memory-'));
  try {
    const path = join(folder, 'large.csv');
    expect(await generateCsv(path, 300e6)).toBeGreaterThan(300e6);
    const { rows, residentMb, columns } = await runSide('millrace', path);
    expect(rows).toBeGreaterThan(2_500_000);
    expect(columns.map(({ type }) => type)).toEqual([
      'BIGINT',
      'VARCHAR',
      'BIGINT',
      'DECIMAL(18,2)',
      'DECIMAL(18,6)',
      'DATE',
      'TIMESTAMP',
      'BOOLEAN',
      'VARCHAR',
      'VARCHAR',
    ]);
    expect(residentMb).toBeLessThan(512);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
