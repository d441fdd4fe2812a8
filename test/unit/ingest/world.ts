// Reads a file given as text or bytes in a folder of its own and gives back what is in the Parquet file, as text.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { type Engine, withEngine } from '../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../lib/ingest/engine/sql.ts';
import type { ReadOptions } from '../../../lib/ingest/options.ts';
import { readTable } from '../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits, type ReadLimits, type TableRead } from '../../../lib/ingest/reading/types.ts';

export interface ReadBack extends TableRead {
  /** `name TYPE` of each column. */
  readonly schema: readonly string[];
  /** DuckDB's own text of every value. */
  readonly rows: readonly (readonly (string | null)[])[];
}

export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-ingest-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every value of a Parquet file as text. As hexadecimal on the way, so that nothing is read here as it is elsewhere. */
export const textsOf = (workDir: string, path: string): Promise<(string | null)[][]> =>
  withEngine({ workDir, limits: defaultReadLimits }, (engine) => textsIn(engine, path));

/** The same by an engine at hand. */
export async function textsIn(engine: Engine, path: string): Promise<(string | null)[][]> {
  const rows = await engine.texts(`SELECT hex(encode(COLUMNS(*)::VARCHAR)) FROM read_parquet(${literal(path)})`);
  return rows.map((row) => row.map((value) => (value === null ? null : Buffer.from(value, 'hex').toString('utf8'))));
}

export async function readBack(
  name: string,
  content: string | Uint8Array,
  limits: Partial<ReadLimits> = {},
  options: ReadOptions = {},
): Promise<ReadBack> {
  return inFolder(async (folder) => {
    const path = join(folder, 'upload');
    const workDir = await mkdtemp(join(folder, 'work-'));
    await writeFile(path, content);
    const read = await readTable({ path, name, workDir, options, limits: { ...defaultReadLimits, ...limits } });
    expect(await readdir(workDir)).toEqual(['table.parquet']);
    const rows = await textsOf(workDir, read.parquetPath);
    return { ...read, schema: read.columns.map((column) => `${column.name} ${column.type}`), rows };
  });
}

/** The fault that reading ends in; a test fails when it does not. Nothing may be left in the work folder. */
export async function refusal(
  name: string,
  content: string | Uint8Array,
  limits: Partial<ReadLimits> = {},
  options: ReadOptions = {},
): Promise<Fault> {
  return inFolder(async (folder) => {
    const path = join(folder, 'upload');
    const workDir = await mkdtemp(join(folder, 'work-'));
    await writeFile(path, content);
    const request = { path, name, workDir, options, limits: { ...defaultReadLimits, ...limits } };
    const thrown = await readTable(request).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(thrown).toBeInstanceOf(Fault);
    expect(await readdir(workDir)).toEqual([]);
    return thrown as Fault;
  });
}

/** Code, column, row, count and example of each warning. */
export const brief = ({ warnings }: Pick<TableRead, 'warnings'>) =>
  warnings.map(({ code, column, row, count, example }) => ({
    code,
    ...(column !== undefined && { column }),
    ...(row !== undefined && { row }),
    ...(count !== undefined && { count }),
    ...(example !== undefined && { example }),
  }));
