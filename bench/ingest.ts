// Ingest end to end: a file sent to the embedded service until its table shows, against DuckDB that copies the same file to Parquet by its own
// sniffing. Both run in turns, each time in a process of its own; the best time of each counts.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withEngine } from '../lib/ingest/engine/engine.ts';
import { literal } from '../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../lib/ingest/reading/types.ts';
import { generateCsv } from './csv/generate.ts';
import type { IngestSide } from './ingest/side.ts';
import type { Ratio } from './support/ratio.ts';

export interface IngestBench {
  readonly megabytes: number;
  readonly log: (line: string) => void;
  /** Times that each side runs. */
  readonly rounds?: number;
}

const folder = join(import.meta.dirname, '../.cache/bench');
const script = join(import.meta.dirname, 'ingest/side.ts');

/** The rows of the seeded CSV in each format; made once, they stay in `.cache/bench`. */
async function filesOf(megabytes: number): Promise<Readonly<Record<string, string>>> {
  const csv = join(folder, `seeded-${megabytes}.csv`);
  await generateCsv(csv, megabytes * 1e6);
  const others = { NDJSON: ['ndjson', 'json'], Parquet: ['parquet', 'parquet'] } as const;
  const files: Record<string, string> = { CSV: csv };
  for (const [name, [extension, format]] of Object.entries(others)) {
    const path = join(folder, `seeded-${megabytes}.${extension}`);
    files[name] = path;
    if ((await stat(path).catch(() => undefined)) !== undefined) continue;
    await withEngine({ workDir: folder, limits: defaultReadLimits }, (engine) =>
      engine.run(`COPY (FROM read_csv(${literal(csv)})) TO ${literal(path)} (FORMAT ${format})`),
    );
  }
  return files;
}

async function runSide(side: 'embedded' | 'bare', path: string): Promise<IngestSide> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=millrace-source', script, side, path]);
  return JSON.parse(stdout) as IngestSide;
}

const least = (of: 'ms' | 'cpuMs', sides: readonly IngestSide[]): number => Math.min(...sides.map((one) => one[of]));
const most = (sides: readonly IngestSide[]): number => Math.max(...sides.map(({ residentMb }) => residentMb));

export async function benchIngest({ megabytes, log, rounds = 2 }: IngestBench): Promise<Ratio[]> {
  const ratios: Ratio[] = [];
  for (const [name, path] of Object.entries(await filesOf(megabytes))) {
    const bare: IngestSide[] = [];
    const ours: IngestSide[] = [];
    for (let round = 1; round <= rounds; round++) {
      bare.push(await runSide('bare', path));
      ours.push(await runSide('embedded', path));
    }
    const { rows } = ours[0] ?? { rows: 0 };
    log(
      `ingest: ${name}, ${rows} rows: bare ${Math.round(least('ms', bare))} ms, Millrace ${Math.round(least('ms', ours))} ms`,
    );
    const called = `ingest of ${name} (${megabytes} MB as CSV)`;
    ratios.push(
      { name: `${called}, time`, unit: 'ms', bare: least('ms', bare), ours: least('ms', ours), aim: { most: 3 } },
      { name: `${called}, processor time`, unit: 'ms', bare: least('cpuMs', bare), ours: least('cpuMs', ours) },
      { name: `${called}, resident memory`, unit: 'MB', bare: most(bare), ours: most(ours) },
    );
  }
  return ratios;
}
