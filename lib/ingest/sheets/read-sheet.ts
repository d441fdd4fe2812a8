// One table of a workbook as rows of text for DuckDB. The sheet is read twice: once to learn what its columns hold, once to write them.
import { writeFile } from 'node:fs/promises';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { allowance } from '../formats/compression/expand.ts';
import type { ReadOptions } from '../options.ts';
import { looksLikeData, nameColumns } from '../reading/names.ts';
import type { SheetWithin } from '../reading/types.ts';
import { askedColumns } from '../typing/asked-columns.ts';
import { csvRows } from '../csv/slices.ts';
import type { Family, TextColumn, TextTable } from '../typing/relation.ts';
import type { TypedTable } from '../typing/type-table.ts';
import { warn } from '../warnings.ts';
import { withWorkbook } from './open.ts';
import { type ColumnFacts, cutTo, gatherFacts, type Range, type TableFacts, usedColumns } from './tables/facts.ts';
import { groupsAbove, mergeFiller, mergesIn, namesFromAbove } from './tables/merges.ts';
import { cellErrors, columnWarnings, kindsIn, mergeWarnings } from './tables/report.ts';
import { type Column, writeRows } from './tables/write.ts';
import type { Cell, Merge, SheetRow, Workbook, WorkbookSource } from './types.ts';

const families: Readonly<Partial<Record<string, Family>>> = { number: 'number', boolean: 'boolean' };

/** A column of one kind has its family; dates, and what is mixed, are found by their words. */
function familyOf(facts: ColumnFacts | undefined): Family {
  const kinds = facts === undefined ? [] : kindsIn(facts);
  return (kinds.length === 1 && families[kinds[0] ?? '']) || 'text';
}

/** Days are midnights in a column that has times and nothing but dates. */
function layoutOf(facts: ColumnFacts | undefined): Column {
  const kinds = facts === undefined ? [] : kindsIn(facts);
  return { days: kinds.join() === 'date,timestamp' ? 'midnights' : 'days' };
}

function columnsOf(
  facts: TableFacts,
  used: readonly number[],
  names: readonly string[],
  options: ReadOptions,
): TextColumn[] {
  return askedColumns(names, options, (place) => familyOf(facts.columns.get(used[place] ?? -1)));
}

interface Passed {
  readonly facts: TableFacts;
  /** By column of the sheet. */
  readonly header: ReadonlyMap<number, string>;
  readonly merges: readonly Merge[];
  readonly used: readonly number[];
  readonly written: Awaited<ReturnType<typeof writeRows>>;
}

interface Paths {
  readonly rows: string;
  readonly sample: string;
}

function requireWidth(used: readonly number[], maxColumns: number): void {
  if (used.length === 0) throw new Fault('EMPTY_FILE', 'The table has no column.');
  if (used.length <= maxColumns) return;
  throw new Fault('TOO_MANY_COLUMNS', `The table has ${used.length} columns; the limit is ${maxColumns}.`, {
    extra: { columns: used.length, limit: maxColumns },
  });
}

/** Both passes. Names that come from above the header are added to it in the second. */
async function pass(
  workbook: Workbook,
  index: number,
  range: Range,
  { rows: target }: Paths,
  { maxColumns, maxBytes, isNull }: { maxColumns: number; maxBytes: number; isNull: (cell: Cell) => boolean },
): Promise<Passed> {
  const gatherer = gatherFacts(range, isNull);
  const cut = cutTo(range);
  const merges = await workbook.read(index, (row) => gatherer.visit(cut(row)));
  const facts = gatherer.facts();
  const used = usedColumns(facts);
  requireWidth(used, maxColumns);
  const namesAbove = namesFromAbove(merges, range);
  const groups = groupsAbove(merges, range);
  const layout = {
    columns: new Map(used.map((column) => [column, layoutOf(facts.columns.get(column))])),
    ...{ range, bytes: facts.characters, maxBytes, isNull, fill: mergeFiller(merges, range) },
  };
  const written = await writeRows(target, layout, (visit) =>
    workbook.read(index, (whole: SheetRow) => {
      const row = cut(whole);
      groups.visit(row);
      for (const { column, text } of namesAbove(row)) if (!facts.header.has(column)) facts.header.set(column, text);
      visit(row);
    }),
  );
  return { facts, header: groups.named(facts.header), merges: mergesIn(merges, range), used, written };
}

function structureWarnings({ facts, merges, used }: Passed, range: Range): Warning[] {
  const cells = used.flatMap((column) => facts.header.get(column) ?? []);
  return [
    ...(looksLikeData(cells) && facts.rows > 0
      ? [warn('HEADER_LOOKS_LIKE_DATA', { row: range.header, example: cells.join(' | ') })]
      : []),
    ...(facts.blank === undefined ? [] : [warn('BLANK_LINES_SKIPPED', facts.blank)]),
    ...mergeWarnings(merges),
  ];
}

export interface PreparedSheet {
  readonly table: TextTable;
  /** What reading and typing have to say, with rows of the sheet. */
  readonly warnings: (typed: TypedTable) => Warning[];
}

async function tableOf(
  { facts, used, written }: Passed,
  names: readonly string[],
  { workDir, ...paths }: Paths & { readonly workDir: string },
  options: ReadOptions,
  place: Pick<TextTable, 'sheet' | 'linesOf'>,
): Promise<TextTable> {
  const shape = {
    delimiter: ',',
    columns: used.length,
    header: 'no header',
    longestRecord: written.longest,
    quotedNewlines: 'quoted newlines',
    newline: 'lf',
  } as const;
  return {
    all: await csvRows({ ...shape, path: paths.rows }, { workDir }),
    sample: await csvRows({ ...shape, path: paths.sample }, { workDir }),
    sampleIsAll: written.sampleIsAll,
    columns: columnsOf(facts, used, names, options),
    rows: facts.rows,
    bytes: written.bytes,
    emptyIsNull: false,
    dateOrder: options.dateOrder,
    badCells: cellErrors(facts, used, names),
    ...place,
  };
}

/** Texts that the caller says stand for nothing. */
function nullTest({ nullWords = [] }: ReadOptions): (cell: Cell) => boolean {
  const words = new Set(nullWords);
  return ({ kind, text }) => kind === 'text' && words.has(text);
}

/**
 * Reads the table at `within` into `workDir`. Faults: those of `withWorkbook`, TOO_MANY_COLUMNS, OPTION_MISFIT, EMPTY_FILE, and INTERNAL
 * for a sheet that is not there.
 */
export async function prepareSheet(
  source: WorkbookSource,
  within: SheetWithin,
  options: ReadOptions = {},
): Promise<PreparedSheet> {
  const { workDir, limits, path } = source;
  const paths = { rows: join(workDir, 'flat.csv'), sample: join(workDir, 'sample.csv') };
  const { limit: maxBytes } = allowance((await stat(path)).size, limits);
  const passed = await withWorkbook(source, (workbook) => {
    const index = workbook.sheets.findIndex(({ name }) => name === within.sheet);
    if (index < 0) throw new Fault('INTERNAL', `There is no sheet ${JSON.stringify(within.sheet)}.`);
    return pass(workbook, index, within, paths, { maxColumns: limits.maxColumns, maxBytes, isNull: nullTest(options) });
  });
  await writeFile(paths.sample, passed.written.sample);
  const { facts, used } = passed;
  const header = within.header === 0 ? [] : used.map((column) => passed.header.get(column) ?? '');
  const { names, warnings: naming } = nameColumns(header, used.length);
  const ofStructure = [...naming, ...structureWarnings(passed, within)];
  return {
    table: await tableOf(passed, names, { ...paths, workDir }, options, {
      sheet: within.sheet,
      linesOf: (rows) => Promise.resolve(rows.map(facts.sheetRowOf)),
    }),
    warnings: ({ types, warnings }) => [
      ...ofStructure,
      ...used.flatMap((column, place) => {
        const known = facts.columns.get(column);
        const isMixed = types[place] === 'VARCHAR' && options.types?.[names[place] ?? ''] === undefined;
        return known === undefined ? [] : columnWarnings(names[place] ?? '', known, isMixed);
      }),
      ...warnings.map((warning) =>
        warning.row === undefined ? warning : { ...warning, row: facts.sheetRowOf(warning.row) },
      ),
    ],
  };
}
