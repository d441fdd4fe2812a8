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

const least = (results: readonly SideResult[], of: 'ms' | 'cpuMs'): number =>
  Math.min(...results.map((one) => one[of]));
const resident = (results: readonly SideResult[]): number => Math.max(...results.map(({ residentMb }) => residentMb));
const inWords = ({ ms, cpuMs }: SideResult): string => `${Math.round(ms)} ms (${Math.round(cpuMs)} ms of processor)`;

/** Generates the file once (it stays in `.cache/bench`), runs both sides, and gives their times and memory. */
export async function benchCsv({ megabytes, log, rounds = 3 }: CsvBench): Promise<Ratio[]> {
  const path = join(folder, `seeded-${megabytes}.csv`);
  log(`csv: a seeded CSV of ${megabytes} MB in ${path}`);
  await generateCsv(path, megabytes * 1e6);
  const plain: SideResult[] = [];
  const millrace: SideResult[] = [];
  for (let round = 1; round <= rounds; round++) {
    const [bare, ours] = [await runSide('plain', path), await runSide('millrace', path)];
    plain.push(bare);
    millrace.push(ours);
    log(`csv: round ${round}: plain COPY ${inWords(bare)}, Millrace ${inWords(ours)}`);
  }
  const name = `${megabytes} MB CSV to Parquet`;
  return [
    { name: `${name}, time`, unit: 'ms', bare: least(plain, 'ms'), ours: least(millrace, 'ms'), aim: { most: 2 } },
    { name: `${name}, processor time`, unit: 'ms', bare: least(plain, 'cpuMs'), ours: least(millrace, 'cpuMs') },
    { name: `${name}, resident memory`, unit: 'MB', bare: resident(plain), ours: resident(millrace) },
  ];
}
