/** Kinds of workbooks that are read; XLSM is XLSX with macros, which are left alone. */
export type SheetFormat = 'xlsx' | 'xls' | 'ods';

const sheetFormats: ReadonlySet<string> = new Set<SheetFormat>(['xlsx', 'xls', 'ods']);

export const isSheet = (format: string): format is SheetFormat => sheetFormats.has(format);
