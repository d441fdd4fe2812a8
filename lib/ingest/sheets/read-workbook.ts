// One table of a workbook becomes one typed Parquet file.
import { Fault } from '../../core/fault.ts';
import { withEngine } from '../engine/engine.ts';
import type { SheetFormat } from '../formats/sheet-format.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadRequest, SheetWithin, TableRead } from '../reading/types.ts';
import { keepingTexts } from '../typing/relation.ts';
import { typeTable } from '../typing/type-table.ts';
import { listSheets } from './list-sheets.ts';
import { type PreparedSheet, prepareSheet } from './read-sheet.ts';
import type { WorkbookSource } from './types.ts';

/** The only table of a workbook, where the caller does not say which. */
async function soleTable(source: WorkbookSource, options: ReadOptions): Promise<SheetWithin> {
  const { tables } = await listSheets(source, options);
  const [sole] = tables;
  if (sole === undefined || tables.length > 1) throw new Fault('INTERNAL', `Which of ${tables.length} tables is read?`);
  return sole.within;
}

interface Workbook {
  /** The workbook as it is. */
  readonly path: string;
  readonly format: SheetFormat;
}

/** Its table as rows of text. Faults: those of `prepareSheet`. */
export async function prepareWorkbook(
  { workDir, limits, signal, options = {}, within }: ReadRequest,
  { path, format }: Workbook,
): Promise<PreparedSheet> {
  const source = { path, format, workDir, limits, signal };
  const place = within !== undefined && 'sheet' in within ? within : await soleTable(source, options);
  return prepareSheet(source, place, options);
}

/** Faults: those of `prepareSheet`. */
export async function readWorkbook(
  request: ReadRequest,
  { target, ...workbook }: Workbook & { readonly target: string },
): Promise<Pick<TableRead, 'columns' | 'rowCount' | 'warnings' | 'rejects'>> {
  const { workDir, limits, signal, verbatim } = request;
  const { table: found, warnings } = await prepareWorkbook(request, workbook);
  const table = keepingTexts(found, verbatim);
  const typed = await withEngine({ workDir, limits, signal }, (engine) =>
    typeTable(engine, table, target, request.options),
  );
  const columns = table.columns.map(({ name }, index) => ({ name, type: typed.types[index] ?? 'VARCHAR' }));
  return { columns, rowCount: typed.rows, warnings: warnings(typed), rejects: typed.rejects };
}
