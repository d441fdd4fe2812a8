// Ingest end to end: a file sent to the embedded service until its table shows, against DuckDB that copies the same file to Parquet by its own
// sniffing. Both run in turns, each time in a process of its own.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BenchFormat, benchFile, formats } from './ingest/files.ts';
import { type Figures, figureLines, figuresOf, growthLine, lapsLine } from './ingest/lines.ts';
import type { IngestSide } from './ingest/side.ts';

export interface IngestBench {
  /** Of the rows as CSV. */
  readonly sizes: readonly number[];
  readonly log: (line: string) => void;
}

const script = join(import.meta.dirname, 'ingest/side.ts');
/** The size at which every format is measured; at the others CSV alone is. */
const EVERY_FORMAT_AT = 100;
/** Runs of each side. Larger files run once. */
const ROUNDS = 4;
const ROUNDS_UP_TO = 200;
const REAL_FROM = 100;

async function runSide(side: 'service' | 'copy', ...files: readonly string[]): Promise<IngestSide> {
  const args = ['--conditions=millrace-source', script, side, ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as IngestSide;
}

async function measure(format: BenchFormat, megabytes: number, log: IngestBench['log']): Promise<Figures> {
  const { path, size } = await benchFile(format, megabytes);
  const { path: warmUp } = await benchFile(format, 1);
  const bare: IngestSide[] = [];
  const ours: IngestSide[] = [];
  for (let round = 0; round < (megabytes > ROUNDS_UP_TO ? 1 : ROUNDS); round++) {
    bare.push(await runSide('copy', path, warmUp));
    ours.push(await runSide('service', path, warmUp));
  }
  log(`${format}, ${megabytes} MB as CSV (${Math.round(size / 1e6)} MB), ${ours[0]?.rows ?? 0} rows`);
  log(lapsLine(ours.at(-1)?.laps ?? []));
  const figures = figuresOf(bare, ours);
  for (const line of figureLines(figures)) log(line);
  return figures;
}

const measuredAt = (megabytes: number, only: boolean): readonly BenchFormat[] => {
  if (only || megabytes === EVERY_FORMAT_AT) return formats;
  return formats.filter((format) => format === 'CSV' || (format === 'real CSV' && megabytes >= REAL_FROM));
};

export async function benchIngest({ sizes, log }: IngestBench): Promise<void> {
  const grown: { megabytes: number; took: Figures['took'] }[] = [];
  for (const megabytes of sizes) {
    for (const format of measuredAt(megabytes, sizes.length === 1)) {
      const { took } = await measure(format, megabytes, log);
      if (format === 'CSV') grown.push({ megabytes, took });
    }
  }
  if (grown.length > 1) log(growthLine('CSV', grown));
}
