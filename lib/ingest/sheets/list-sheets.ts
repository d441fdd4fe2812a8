// Which tables a workbook holds: the sections of its sheets, or each sheet as one table where the caller says which row is the header.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { ReadOptions } from '../options.ts';
import type { SheetWithin } from '../reading/types.ts';
import { warn } from '../warnings.ts';
import { withWorkbook } from './open.ts';
import { type FoundTables, findTables } from './tables/find.ts';
import { isFilled, type SheetInfo, type SheetRow, type Workbook, type WorkbookSource } from './types.ts';

const NAMED_SHEETS = 20;
const LABEL_CHARACTERS = 64;

export interface ListedSheets {
  readonly tables: readonly {
    /** What it is called in the file. */
    readonly own: string;
    readonly within: SheetWithin;
  }[];
  readonly warnings: readonly Warning[];
}

interface Found extends FoundTables {
  readonly sheet: SheetInfo;
  readonly warnings: readonly Warning[];
}

/** The numbers of the sheets to be read, in the order of the tabs. */
function chosen({ sheets }: Workbook, asked: ReadOptions['sheet']): number[] {
  const all = sheets.map((_, index) => index);
  if (asked === undefined) return all;
  const names = new Set(typeof asked === 'string' ? [asked] : asked);
  const unknown = [...names].find((name) => !sheets.some((sheet) => sheet.name === name));
  if (unknown === undefined) return all.filter((index) => names.has(sheets[index]?.name ?? ''));
  const has = sheets.slice(0, NAMED_SHEETS).map(({ name }) => JSON.stringify(name));
  const more = sheets.length > NAMED_SHEETS ? ' and more' : '';
  throw new Fault(
    'OPTION_MISFIT',
    `There is no sheet ${JSON.stringify(unknown)}; there are ${has.join(', ')}${more}.`,
    {
      extra: { option: 'sheet' },
    },
  );
}

/** A sheet as one table with the header where the caller says. */
function wholeSheet(headerRow: number, sheet: SheetInfo) {
  let last = 0;
  let above = 0;
  let example: { readonly row: number; readonly example: string } | undefined;
  return {
    push: ({ number, cells }: SheetRow): void => {
      const filled = cells.filter(isFilled);
      if (filled.length === 0) return;
      last = number;
      if (number >= headerRow) return;
      above++;
      example ??= { row: number, example: filled.map(({ text }) => text).join(' | ') };
    },
    end: (): Omit<Found, 'sheet'> => {
      if (last === 0) return { tables: [], leftOut: undefined, warnings: [] };
      if (last < headerRow)
        throw new Fault('OPTION_MISFIT', `The sheet ${JSON.stringify(sheet.name)} has no row ${headerRow}.`, {
          extra: { option: 'headerRow' },
        });
      const detail = `On the sheet ${JSON.stringify(sheet.name)}.`;
      const warnings = above === 0 ? [] : [warn('ROWS_ABOVE_HEADER', { ...example, count: above, detail })];
      const table = { label: undefined, header: headerRow, first: headerRow + 1, last };
      return { tables: [table], leftOut: undefined, warnings };
    },
  };
}

async function findOn(workbook: Workbook, index: number, headerRow: number | undefined): Promise<Found> {
  const sheet = workbook.sheets[index] ?? { name: '', isHidden: false };
  if (headerRow === undefined) {
    const finder = findTables();
    await workbook.read(index, finder.push);
    return { sheet, ...finder.end(), warnings: [] };
  }
  const whole = wholeSheet(headerRow, sheet);
  await workbook.read(index, whole.push);
  return { sheet, ...whole.end() };
}

function warningsOf({ sheet, tables, leftOut, warnings }: Found): Warning[] {
  const detail = `On the sheet ${JSON.stringify(sheet.name)}.`;
  return [
    ...(sheet.isHidden && tables.length > 0 ? [warn('SHEET_HIDDEN', { example: sheet.name })] : []),
    ...(leftOut === undefined ? [] : [warn('SHEET_ROWS_LEFT_OUT', { ...leftOut, detail })]),
    ...warnings,
  ];
}

/** A lone table of a sheet is called as the sheet is, several by their labels as well. */
const tablesOf = ({ sheet, tables }: Found): ListedSheets['tables'] =>
  tables.map(({ label, header, first, last, columns }) => {
    const own =
      tables.length === 1 || label === undefined ? sheet.name : `${sheet.name}__${label.slice(0, LABEL_CHARACTERS)}`;
    return { own, within: { sheet: sheet.name, header, first, last, columns } };
  });

/** Faults: those of `withWorkbook`, EMPTY_FILE where no sheet holds a table, OPTION_MISFIT. */
export async function listSheets(source: WorkbookSource, { sheet, headerRow }: ReadOptions): Promise<ListedSheets> {
  const found = await withWorkbook(source, async (workbook) => {
    const list: Found[] = [];
    for (const index of chosen(workbook, sheet)) list.push(await findOn(workbook, index, headerRow));
    return list;
  });
  const tables = found.flatMap(tablesOf);
  if (tables.length > 0) return { tables, warnings: found.flatMap(warningsOf) };
  const what = 'a table is a row of two cells or more, the header, with a row of data below it.';
  throw new Fault('EMPTY_FILE', `No sheet holds a table: ${what}`, { extra: { sheets: found.length } });
}
