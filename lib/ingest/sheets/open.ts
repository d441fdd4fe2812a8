// One way to open a workbook, whatever its kind. The reader of each kind is loaded when a file of it comes.
import type { SheetFormat } from '../formats/sheet-format.ts';
import type { Workbook, WorkbookSource } from './types.ts';

const openers: Readonly<Record<SheetFormat, (source: WorkbookSource) => Promise<Workbook>>> = {
  xlsx: async (source) => (await import('./xlsx/workbook.ts')).openXlsx(source),
  xls: async (source) => (await import('./xls/workbook.ts')).openXls(source),
  ods: async (source) => (await import('./ods/workbook.ts')).openOds(source),
};

/**
 * Opens the workbook, and closes it when `use` is done. Faults: COMPRESSION_CORRUPT, DECOMPRESSION_LIMIT, ARCHIVE_ENTRY_NAME, ARCHIVE_METHOD,
 * WORKBOOK_ENCRYPTED, PARSE_ERROR, LIMIT_EXCEEDED.
 */
export async function withWorkbook<T>(source: WorkbookSource, use: (workbook: Workbook) => Promise<T>): Promise<T> {
  const workbook = await openers[source.format](source);
  try {
    return await use(workbook);
  } finally {
    await workbook.close();
  }
}
