// One side of the comparison in a process of its own: `node side.ts millrace|plain <csv>`. Prints one line of JSON.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { must } from '../../lib/core/check.ts';
import { systemClock } from '../../lib/core/time.ts';
import { literal } from '../../lib/ingest/engine/sql.ts';
import { readTable } from '../../lib/ingest/reading/read-table.ts';
import { type Column, defaultReadLimits } from '../../lib/ingest/reading/types.ts';

export interface SideResult {
  readonly ms: number;
  /** Of all threads; steadier than `ms` on a machine that does other work as well. */
  readonly cpuMs: number;
  readonly rows: number;
  /** Largest resident memory of the process. */
  readonly residentMb: number;
  readonly columns: readonly Column[];
}

type Work = (path: string, workDir: string) => Promise<{ rows: number; columns: readonly Column[] }>;

const millrace: Work = async (path, workDir) => {
  const { rowCount, columns } = await readTable({ path, name: 'bench.csv', workDir, limits: defaultReadLimits });
  return { rows: rowCount, columns };
};

/** DuckDB by itself, its own types from its own sample, with as many threads and no limit of memory. */
const plain: Work = async (path, workDir) => {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(defaultReadLimits.engineThreads) });
  const connection = await instance.connect();
  const target = literal(join(workDir, 'table.parquet'));
  const reader = await connection.runAndReadAll(`COPY (FROM read_csv(${literal(path)})) TO ${target} (FORMAT parquet)`);
  const rows = Number(reader.getRows()[0]?.[0]);
  connection.closeSync();
  instance.closeSync();
  return { rows, columns: [] };
};

const sides: Readonly<Record<string, Work>> = { millrace, plain };
const [side = '', path = ''] = process.argv.slice(2);
const workDir = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
try {
  const start = systemClock.monotonic();
  const before = process.cpuUsage();
  const { rows, columns } = await must(sides[side], 'a side: millrace or plain')(path, workDir);
  const ms = systemClock.monotonic() - start;
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  const result: SideResult = { ms, cpuMs, rows, residentMb: process.resourceUsage().maxRSS / 1024, columns };
  console.log(JSON.stringify(result));
} finally {
  await rm(workDir, { recursive: true, force: true });
}
