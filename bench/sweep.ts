// A sweep over a table of many live rows, a hundred of them due, against the same sweep over the hundred alone: SQLite on a file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countedSweep, fillSqlite } from './support/sweeping.ts';
import type { Ratio } from './support/ratio.ts';
import { DUE, type SweepBench, sweepRatios, toldOf } from './support/sweep-ratios.ts';

export async function benchSweep({ rows, log }: SweepBench): Promise<Ratio[]> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-sweep-'));
  try {
    const sweepOf = async (live: number) => {
      const path = join(folder, `${live}.sqlite`);
      fillSqlite(path, { live, due: DUE });
      const swept = await countedSweep(path);
      log(toldOf(live, swept));
      return swept;
    };
    return sweepRatios(await sweepOf(DUE), await sweepOf(rows), rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
