// The files that ingest is measured with: rows of a seed in each format, and rows of real flights, which a dev dependency brings.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withEngine } from '../../lib/ingest/engine/engine.ts';
import { literal } from '../../lib/ingest/engine/sql.ts';
import { defaultReadLimits } from '../../lib/ingest/reading/types.ts';
import { generateCsv } from '../csv/generate.ts';

export interface BenchFile {
  readonly name: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

const folder = join(import.meta.dirname, '../../.cache/bench');
const flights = join(import.meta.dirname, '../../node_modules/vega-datasets/data/flights-3m.parquet');
/** What the real rows take as CSV, bytes. */
const FLIGHTS_BYTES = 113e6;

export const formats = ['CSV', 'NDJSON', 'Parquet', 'real CSV', 'real Parquet'] as const;
export type BenchFormat = (typeof formats)[number];

const named = (name: BenchFormat, megabytes: number): string => {
  const extension = { CSV: 'csv', NDJSON: 'ndjson', Parquet: 'parquet' }[name.replace('real ', '')] ?? '';
  return join(folder, `${name.startsWith('real') ? 'flights' : 'seeded'}-${megabytes}.${extension}`);
};

/** The FROM item that a file is made of. */
async function sourceOf(name: BenchFormat, megabytes: number): Promise<string> {
  if (!name.startsWith('real')) return `read_csv(${literal((await benchFile('CSV', megabytes)).path)})`;
  const share = (megabytes * 1e6) / FLIGHTS_BYTES;
  const whole = `read_parquet([${Array(Math.ceil(share)).fill(literal(flights)).join(', ')}])`;
  return `(FROM ${whole} LIMIT ${Math.round(share * 3_000_000)})`;
}

/** A file of so many MB as CSV; made once, it stays in `.cache/bench`. */
export async function benchFile(name: BenchFormat, megabytes: number): Promise<BenchFile> {
  const path = named(name, megabytes);
  const there = await stat(path).catch(() => undefined);
  if (there === undefined && name === 'CSV') await generateCsv(path, megabytes * 1e6);
  else if (there === undefined) {
    const source = await sourceOf(name, megabytes);
    const format = { CSV: 'csv', NDJSON: 'json', Parquet: 'parquet' }[name.replace('real ', '')] ?? '';
    await withEngine({ workDir: folder, limits: defaultReadLimits }, (engine) =>
      engine.run(`COPY (FROM ${source}) TO ${literal(path)} (FORMAT ${format})`),
    );
  }
  return { name, path, size: (await stat(path)).size };
}
