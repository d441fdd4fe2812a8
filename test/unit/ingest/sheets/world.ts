// Lists and reads all tables of a workbook given as bytes, in a folder of its own.
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import type { ReadOptions } from '../../../../lib/ingest/options.ts';
import { listTables } from '../../../../lib/ingest/reading/list-tables.ts';
import { readTable } from '../../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits, type ReadLimits, type Within } from '../../../../lib/ingest/reading/types.ts';
import { brief, inFolder, textsOf } from '../world.ts';

export interface SheetRead {
  readonly name: string;
  readonly within: Within | undefined;
  /** `name TYPE` of each column. */
  readonly schema: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly warnings: ReturnType<typeof brief>;
}

interface Reading {
  readonly name?: string;
  readonly options?: ReadOptions;
  readonly limits?: Partial<ReadLimits>;
}

export async function readWorkbook(
  content: Uint8Array,
  { name = 'book.xlsx', options = {}, limits = {} }: Reading = {},
) {
  return inFolder(async (folder) => {
    const path = join(folder, 'upload');
    await writeFile(path, content);
    const workDir = await mkdtemp(join(folder, 'work-'));
    const request = { path, name, workDir, options, limits: { ...defaultReadLimits, ...limits } };
    const listed = await listTables(request);
    expect(await readdir(workDir)).toEqual([]);
    const tables: SheetRead[] = [];
    for (const table of listed.tables) {
      const read = await readTable({ ...request, within: table.within });
      expect(await readdir(workDir)).toEqual(['table.parquet']);
      const schema = read.columns.map((column) => `${column.name} ${column.type}`);
      tables.push({
        ...table,
        within: table.within,
        schema,
        rows: await textsOf(workDir, read.parquetPath),
        warnings: brief(read),
      });
    }
    return { tables, warnings: brief(listed) };
  });
}

/** The only table of a workbook. */
export async function readOne(content: Uint8Array, reading: Reading = {}) {
  const { tables, warnings } = await readWorkbook(content, reading);
  expect(tables).toHaveLength(1);
  return { ...(tables[0] as SheetRead), ofFile: warnings };
}

/** The fault that listing or reading ends in; a test fails when neither does. */
export async function refusalOf(content: Uint8Array, reading: Reading = {}): Promise<Fault> {
  const thrown: unknown = await readWorkbook(content, reading).catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(Fault);
  return thrown as Fault;
}
