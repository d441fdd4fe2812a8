// Tables in memory for relations: CSV texts, read and profiled as ingest does it, in a folder that goes with the world.
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SnapshotId, TableId } from '../../../../lib/core/ids.ts';
import { profileTable } from '../../../../lib/ingest/profile/profile-table.ts';
import { readTable } from '../../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';
import {
  type FindRequest,
  findRelations,
  type Finding,
  type RelatedTable,
} from '../../../../lib/ingest/relations/find.ts';

export interface TablesWorld extends AsyncDisposable {
  readonly tables: readonly RelatedTable[];
  /** Names of the tables that were fetched, in order. */
  readonly fetched: string[];
  find(more?: Partial<FindRequest>): ReturnType<typeof findRelations>;
}

export async function tablesOf(csvs: Readonly<Record<string, string>>): Promise<TablesWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-relations-'));
  const tables: RelatedTable[] = [];
  for (const [name, csv] of Object.entries(csvs)) tables.push(await tableIn(folder, name, csv));
  const fetched: string[] = [];
  return {
    tables,
    fetched,
    find: (more) =>
      findRelations({
        tables,
        wanted: new Set(tables.map(({ id }) => id)),
        known: [],
        refused: () => false,
        workDir: folder,
        limits,
        fetch: async ({ name, parts }) => {
          fetched.push(name);
          return parts.map(({ key }) => key);
        },
        ...more,
      }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function tableIn(folder: string, name: string, csv: string): Promise<RelatedTable> {
  const path = join(folder, `${name}.source`);
  await writeFile(path, csv);
  const workDir = await mkdtemp(join(folder, 'work-'));
  const { columns, rowCount, parquetPath } = await readTable({ path, name: `${name}.csv`, workDir, limits });
  const profile = await profileTable({ parquetPaths: [parquetPath], columns, rowCount, workDir, limits });
  const key = join(folder, `${name}.parquet`);
  await rename(parquetPath, key);
  return {
    id: `tbl_${name}` as TableId,
    name,
    snapshot: `snap_${name}` as SnapshotId,
    rows: rowCount,
    columns: profile.map((each) => ({
      column: each.name,
      type: each.type,
      nulls: each.nulls,
      distinct: each.distinct,
    })),
    parts: [{ key, bytes: (await stat(key)).size }],
  };
}

/** `orders.customer_id → customers.id` */
export const arrow = ({ from, to }: Pick<Finding, 'from' | 'to'>): string =>
  `${from.tableName}.${from.column} → ${to.tableName}.${to.column}`;

/** Rows 1 to `count`, each as `row` writes it, under a header. */
export const rowsOf = (header: string, count: number, row: (n: number) => string): string =>
  `${[header, ...Array.from({ length: count }, (_, index) => row(index + 1))].join('\n')}\n`;
