// CSV to Parquet: exact types over the whole file against a plain COPY of DuckDB that sniffs its types from a sample.
// Both sides run in turns, each time in a process of its own; the best time of each counts, since the rest is noise.
import { join } from 'node:path';
import { generateCsv } from './csv/generate.ts';
import { runSide } from './csv/run-side.ts';
import type { SideResult } from './csv/side.ts';
import type { Ratio } from './support/ratio.ts';

export interface CsvBench {
  readonly megabytes: number;
  readonly log: (line: string) => void;
  /** Times that each side runs. */
  readonly rounds?: number;
}

const folder = join(import.meta.dirname, '../.cache/bench');

const best = (results: readonly SideResult[]): number => Math.min(...results.map(({ ms }) => ms));
const resident = (results: readonly SideResult[]): number => Math.max(...results.map(({ residentMb }) => residentMb));

/** Generates the file once (it stays in `.cache/bench`), runs both sides, and gives their times and memory. */
export async function benchCsv({ megabytes, log, rounds = 3 }: CsvBench): Promise<Ratio[]> {
  const path = join(folder, `seeded-${megabytes}.csv`);
  log(`csv: a seeded CSV of ${megabytes} MB in ${path}`);
  await generateCsv(path, megabytes * 1e6);
  const plain: SideResult[] = [];
  const millrace: SideResult[] = [];
  for (let round = 1; round <= rounds; round++) {
    plain.push(await runSide('plain', path));
    millrace.push(await runSide('millrace', path));
    log(
      `csv: round ${round}: plain COPY ${Math.round(plain.at(-1)?.ms ?? 0)} ms, Millrace ${Math.round(millrace.at(-1)?.ms ?? 0)} ms`,
    );
  }
  const name = `${megabytes} MB CSV to Parquet`;
  return [
    { name: `${name}, time`, unit: 'ms', bare: best(plain), ours: best(millrace), aim: { most: 2 } },
    { name: `${name}, resident memory`, unit: 'MB', bare: resident(plain), ours: resident(millrace) },
  ];
}
