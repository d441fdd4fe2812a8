import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { overlapOf, SKETCH_VALUES } from '../../../../lib/ingest/drift/value-overlap.ts';
import { sketchColumns } from '../../../../lib/ingest/drift/sketch-columns.ts';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../../lib/ingest/engine/sql.ts';
import { defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';
import { inFolder } from '../world.ts';

/** Sketches of the columns of a SELECT. */
const sketchesOf = (select: string, columns: Record<string, string>) =>
  inFolder(async (workDir) => {
    const path = join(workDir, 'part.parquet');
    await withEngine({ workDir, limits }, (engine) => engine.run(`COPY (${select}) TO ${literal(path)}`));
    const asked = Object.entries(columns).map(([name, type]) => ({ name, type }));
    return sketchColumns({ parquetPaths: [path], columns: asked, workDir, limits });
  });

describe('sketches of columns', () => {
  it('are the same for the same values, whatever their order and the type that holds them', async () => {
    const one = await sketchesOf('SELECT i AS a, i::VARCHAR AS "b""c" FROM range(500) t(i)', {
      a: 'BIGINT',
      'b"c': 'VARCHAR',
    });
    const other = await sketchesOf('SELECT (499 - i)::DECIMAL(18,2) AS a, NULL::VARCHAR AS n FROM range(500) t(i)', {
      a: 'DECIMAL(18,2)',
      n: 'VARCHAR',
    });
    expect(one.get('a')?.hashes).toEqual(other.get('a')?.hashes);
    expect(one.get('b"c')?.hashes).toHaveLength(500);
    expect([one.get('a')?.dense, other.get('a')?.dense]).toEqual([true, false]);
    expect(other.get('n')?.hashes).toEqual([]);
  });

  it('are the same for the same times, also those that timestamps do not reach', async () => {
    const days = `SELECT [DATE '5881580-07-10', DATE '2024-02-29', 'infinity'::DATE][range % 3 + 1] AS d FROM range(9)`;
    const stamps = `SELECT ['2024-02-29'::TIMESTAMP, 'infinity'::TIMESTAMP][range % 2 + 1] AS d FROM range(9)`;
    const [one, other] = [await sketchesOf(days, { d: 'DATE' }), await sketchesOf(stamps, { d: 'TIMESTAMP' })];
    expect(one.get('d')?.hashes).toHaveLength(3);
    expect(one.get('d')?.hashes).toEqual(expect.arrayContaining([...(other.get('d')?.hashes ?? [])]));
    expect(other.get('d')?.hashes).toHaveLength(2);
  });

  it('of many values hold the smallest hashes, and tell how much is the same', async () => {
    const from = (start: number) =>
      sketchesOf(`SELECT 'customer ' || (i + ${start}) AS c FROM range(200000) t(i)`, { c: 'VARCHAR' });
    const [one, half] = [(await from(0)).get('c'), (await from(100_000)).get('c')];
    expect(one?.hashes).toHaveLength(SKETCH_VALUES);
    expect(one && overlapOf(one, one)).toEqual({ share: 1, weight: 1 });
    const share = (one && half && overlapOf(one, half)?.share) ?? 0;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it('of few values that are there many times are those of the values once each', async () => {
    const once = await sketchesOf('SELECT i AS n, i * 1000 AS gaps FROM range(3000) t(i)', {
      n: 'BIGINT',
      gaps: 'BIGINT',
    });
    const often = await sketchesOf('SELECT i % 3000 AS n, i % 3000 * 1000 AS gaps FROM range(200000) t(i)', {
      n: 'BIGINT',
      gaps: 'BIGINT',
    });
    for (const name of ['n', 'gaps']) expect(often.get(name)).toEqual(once.get(name));
    expect([often.get('n')?.dense, often.get('gaps')?.dense]).toEqual([true, false]);
  });

  it('of days and times are comparable, and days without gaps are dense', async () => {
    const days = await sketchesOf(`SELECT DATE '2024-01-01' + i::INTEGER AS d FROM range(90) t(i)`, { d: 'DATE' });
    const times = await sketchesOf(`SELECT (DATE '2024-01-01' + i::INTEGER)::TIMESTAMP AS d FROM range(90) t(i)`, {
      d: 'TIMESTAMP',
    });
    expect(days.get('d')?.hashes).toEqual(times.get('d')?.hashes);
    expect(days.get('d')?.dense).toBe(true);
  });
});
