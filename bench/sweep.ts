// A sweep over a table of many live rows, a hundred of them due, against the same sweep over the hundred alone: SQLite on a file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countedSweep, fillSqlite } from './support/sweeping.ts';
import type { Ratio } from './support/ratio.ts';

export interface SweepBench {
  /** Live rows of the large table. */
  readonly rows: number;
  readonly log: (line: string) => void;
}

const DUE = 100;

export async function benchSweep({ rows, log }: SweepBench): Promise<Ratio[]> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-sweep-'));
  try {
    const sweepOf = async (live: number) => {
      const path = join(folder, `${live}.sqlite`);
      fillSqlite(path, { live, due: DUE });
      const swept = await countedSweep(path);
      log(
        `sweep of ${live} live rows, ${DUE} due: ${swept.reads} reads, ${swept.writes} writes, ${swept.ms.toFixed(0)} ms`,
      );
      return swept;
    };
    const few = await sweepOf(DUE);
    const many = await sweepOf(rows);
    const name = `sweep, ${DUE} due of ${rows.toLocaleString('en')} live rows`;
    return [
      { name: `${name}: reads`, unit: '', bare: few.reads, ours: many.reads, aim: { most: 1 } },
      { name: `${name}: writes`, unit: '', bare: few.writes, ours: many.writes, aim: { most: 1 } },
      { name: `${name}: time`, unit: 'ms', bare: few.ms, ours: many.ms },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
