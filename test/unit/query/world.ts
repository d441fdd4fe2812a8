// A small dataset on disk and the limits that the query tests run under.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Fault, type FaultCode } from '../../../lib/core/fault.ts';
import { millis, systemClock } from '../../../lib/core/time.ts';
import type { QueryLimits, QueryTable, QueryWorld } from '../../../lib/query/types.ts';

export interface Dataset extends AsyncDisposable {
  readonly directory: string;
  /** Where queries may spill; holds nothing between them. */
  readonly spill: string;
  /** `sales` (10,000 rows in two parts: id, city, price) and `empty` (one column, no part). */
  readonly world: QueryWorld;
  write(name: string, select: string): Promise<QueryTable>;
}

export async function aDataset(limits: Partial<QueryLimits> = {}): Promise<Dataset> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-query-'));
  const spill = await mkdtemp(join(directory, 'spill-'));
  const write = (name: string, select: string): Promise<QueryTable> => writeTable(directory, name, [select]);
  const half = (from: number): string =>
    `SELECT range AS id, 'city ' || (range % 7) AS city, (range / 100)::DECIMAL(10,2) AS price FROM range(${from}, ${from + 5000})`;
  const sales = await writeTable(directory, 'sales', [half(0), half(5000)]);
  const empty: QueryTable = { name: 'empty', parts: [], columns: [{ name: 'a b', type: 'DECIMAL(10,2)' }] };
  return {
    directory,
    spill,
    write,
    world: { tables: [sales, empty], limits: { ...usualLimits, tempDirectory: spill, ...limits }, clock: systemClock },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

const usualLimits: Omit<QueryLimits, 'tempDirectory'> = {
  memoryMb: 200,
  threads: 1,
  timeoutMs: millis(20_000),
  rowCap: 1000,
  resultBytes: 4_000_000,
  tempMb: 200,
};

async function writeTable(directory: string, name: string, selects: readonly string[]): Promise<QueryTable> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const parts = selects.map((_, index) => join(directory, `${name}-${index}.parquet`));
  for (const [index, select] of selects.entries())
    await connection.run(`COPY (${select}) TO '${parts[index]}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  return { name, parts };
}

/** The code of the fault that it ends in, or `answered`. */
export async function codeOf(answer: Promise<unknown>): Promise<FaultCode | 'answered'> {
  return (await faultOf(answer))?.code ?? 'answered';
}

export const faultOf = (answer: Promise<unknown>): Promise<Fault | undefined> =>
  answer.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Fault) return error;
      throw error;
    },
  );

/** Names left in a folder. */
export const left = (directory: string): Promise<string[]> => readdir(directory);
