// One local file becomes one typed Parquet file: refused whole with the place, or kept whole with warnings.
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SLICES } from '../csv/slices.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import { expand } from '../formats/compression/expand.ts';
import { detectFile } from '../formats/detect.ts';
import { isSheet } from '../formats/sheet-format.ts';
import { adoptParquet } from '../parquet/adopt.ts';
import { keepingTexts, type TextTable } from '../typing/relation.ts';
import { typeTable } from '../typing/type-table.ts';
import { withEntry } from './archive.ts';
import { prepareText } from './prepare.ts';
import { type Column, type FileFormat, type ReadRequest, type TableRead, type TextFormat } from './types.ts';

type Content = Pick<TableRead, 'columns' | 'rowCount' | 'warnings' | 'rejects'>;

const leftovers = ['plain', 'utf8', 'sample.csv', 'canonical.csv', 'flat.csv', 'strings', SLICES];

/** Structure first (this room's own readers), types second (DuckDB). */
async function readText(request: ReadRequest, path: string, format: TextFormat, target: string): Promise<Content> {
  const { workDir, limits, signal } = request;
  const prepared = await prepareText(request, path, format);
  const table = keepingTexts(prepared.table, request.verbatim);
  const typed = await withEngine({ workDir, limits, signal }, (engine: Engine) =>
    typeTable(engine, table, target, request.options),
  );
  const { rows: rowCount, rejects } = typed;
  return { columns: columnsOf(table, typed.types), rowCount, warnings: prepared.warnings(typed), rejects };
}

const columnsOf = (table: TextTable, types: readonly string[]): Column[] =>
  table.columns.map(({ name }, index) => ({ name, type: types[index] ?? 'VARCHAR' }));

/** What is not text is loaded when it is needed: most files are text. */
async function readContent(request: ReadRequest, path: string, format: FileFormat, target: string): Promise<Content> {
  const { workDir, limits, signal } = request;
  const settings = { path, target, workDir, limits, signal };
  switch (format) {
    case 'parquet':
      return adoptParquet(settings);
    case 'arrow':
      return (await import('../arrow/read-arrow.ts')).readArrow(settings);
    case 'avro':
      return (await import('../avro/read-avro.ts')).readAvro(settings);
    default:
      if (isSheet(format))
        return (await import('../sheets/read-workbook.ts')).readWorkbook(request, { path, format, target });
      return readText(request, path, format, target);
  }
}

/**
 * Reads one table of a file, mostly the whole of it (CSV, TSV, JSON, NDJSON, Parquet, Arrow, Avro or a workbook, plain or compressed) into `<workDir>/table.parquet`, rows in order.
 * Memory stays flat; `workDir` needs room for the plain text, a canonical copy of it and the Parquet file.
 * Faults: EMPTY_FILE, FORMAT_UNKNOWN, FORMAT_MISMATCH, COMPRESSION_CORRUPT, DECOMPRESSION_LIMIT, ENCODING_INVALID,
 * PARSE_ERROR (with line and byteOffset), LINE_TOO_LONG, TOO_MANY_COLUMNS, OPTION_MISFIT, UNSUPPORTED_SCHEMA, BLOCK_TOO_LARGE,
 * and those of `withWorkbook`.
 */
export async function readTable(request: ReadRequest): Promise<TableRead> {
  const { entry } = request;
  if (entry === undefined) return readFile(request);
  return { ...(await withEntry(request, entry, readFile)), compression: 'zip' };
}

async function readFile(request: ReadRequest): Promise<TableRead> {
  const { path, name, workDir, limits, signal } = request;
  const { format, compression } = await detectFile({ name, path, encoding: request.options?.encoding });
  const parquetPath = join(workDir, 'table.parquet');
  try {
    const plain = await expand({ path, compression }, { workDir, limits, signal });
    const content = await readContent(request, plain, format, parquetPath);
    const { size: parquetBytes } = await stat(parquetPath);
    return { format, compression, ...content, parquetPath, parquetBytes };
  } catch (thrown) {
    await rm(parquetPath, { force: true });
    throw thrown;
  } finally {
    await Promise.all(leftovers.map((file) => rm(join(workDir, file), { recursive: true, force: true })));
  }
}
