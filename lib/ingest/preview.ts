// What a file would become, without ingesting it: its tables with their columns, their first rows and the warnings, under the options given.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../core/remove-folder.ts';
import { Fault } from '../core/fault.ts';
import type { Objects } from '../core/objects.ts';
import type { Warning } from '../core/warning.ts';
import type { FileRecord } from './catalog.ts';
import type { ReadOptions } from './options.ts';
import { type Column, defaultReadLimits, type ListedTable, type ReadRequest } from './reading/types.ts';

export interface PreviewRequest {
  readonly name: string;
  /** The file itself, or one that is stored. */
  readonly content: Uint8Array | Pick<FileRecord, 'objectKey' | 'size'>;
  readonly table?: string | undefined;
  readonly options?: ReadOptions | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TablePreview {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Of the whole table. */
  readonly rowCount: number;
  /** The first of them. */
  readonly rows: readonly (readonly unknown[])[];
  readonly warnings: readonly Warning[];
}

export interface FilePreview {
  readonly format: string;
  readonly compression: string;
  readonly tables: readonly TablePreview[];
  /** Tables of the file that are only named here. */
  readonly further: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Faults: those of `listTables` and `readTable`, and PREVIEW_LIMIT for a stored file that is too large to look at while somebody waits. */
export type Preview = (request: PreviewRequest) => Promise<FilePreview>;

const MIB = 2 ** 20;
/** Bytes of a stored file. */
const MOST_BYTES = 32 * MIB;
const ROWS = 50;
const TABLES = 10;

/** Less than an ingest may take: it answers while somebody waits, beside queries. */
const limits = {
  ...defaultReadLimits,
  maxDecompressedBytes: 256 * MIB,
  engineMemoryBytes: 160 * MIB,
  engineSpillBytes: 512 * MIB,
};

export const createPreview =
  ({ objects, directory }: { readonly objects: Objects; readonly directory: string }): Preview =>
  async (request) => {
    const folder = await mkdtemp(join(directory, 'preview-'));
    try {
      const path = join(folder, 'source');
      await bring(objects, request, path);
      const workDir = await mkdtemp(join(folder, 'work-'));
      const { name, options, signal } = request;
      return await previewOf({ path, name, workDir, limits, options, signal }, request.table);
    } finally {
      await removeFolder(folder);
    }
  };

async function bring(objects: Objects, { content }: PreviewRequest, path: string): Promise<void> {
  if (content instanceof Uint8Array) return writeFile(path, content);
  if (content.size > MOST_BYTES)
    throw new Fault('PREVIEW_LIMIT', `The file has ${content.size} bytes; a preview reads at most ${MOST_BYTES}.`, {
      extra: { limit: MOST_BYTES },
    });
  if (!(await objects.download(content.objectKey, path)))
    throw new Fault('INPUT_UNREADABLE', 'The bytes of the file are gone.');
}

async function previewOf(request: ReadRequest, as: string | undefined): Promise<FilePreview> {
  // Loaded when it is needed: most instances answer queries only.
  const { listTables } = await import('./reading/list-tables.ts');
  const { format, compression, tables: listed, warnings } = await listTables(request, as);
  const tables: TablePreview[] = [];
  for (const table of listed.slice(0, TABLES)) tables.push(await previewTable(request, table));
  const further = listed.slice(TABLES).map(({ name }) => name);
  return { format, compression, tables, further, warnings };
}

async function previewTable(request: ReadRequest, { name, ...place }: ListedTable): Promise<TablePreview> {
  const { readTable } = await import('./reading/read-table.ts');
  const { withEngine } = await import('./engine/engine.ts');
  const { literal } = await import('./engine/sql.ts');
  const { columns, rowCount, warnings, parquetPath } = await readTable({ ...request, ...place });
  try {
    const sql = `SELECT * FROM read_parquet(${literal(parquetPath)}) LIMIT ${ROWS}`;
    const rows = await withEngine(request, (engine) => engine.values(sql));
    return { name, columns, rowCount, rows, warnings };
  } finally {
    await rm(parquetPath, { force: true });
  }
}
