// XLS, the workbook of Excel before 2007: read whole by SheetJS, so that its size is bounded. What a cell means is decided here, as for the others.
import { readFile, stat } from 'node:fs/promises';
import type { CellObject as RawCell, WorkBook as Book } from '@e965/xlsx';
import { asError } from '../../../core/check.ts';
import { Fault } from '../../../core/fault.ts';
import { formatOf, general, type NumberFormat } from '../cells/formats.ts';
import { decimalOf } from '../cells/numbers.ts';
import { type DateSystem, serialValue } from '../cells/serials.ts';
import { damaged } from '../package/parts.ts';
import type { Cell, Merge, SheetInfo, SheetRow, Workbook, WorkbookSource } from '../types.ts';

/** A workbook of this size was read in 600 MB, DuckDB among them. */
const MOST_BYTES = 8 * 2 ** 20;

const errors: Readonly<Record<number, string>> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
};

interface Context {
  readonly dates: DateSystem;
  /** By code; the same few codes stand in most cells. */
  readonly formats: Map<string, NumberFormat>;
}

function formatBy({ formats }: Context, code: unknown): NumberFormat {
  if (typeof code !== 'string') return general;
  const known = formats.get(code) ?? formatOf(code);
  formats.set(code, known);
  return known;
}

function numberValue(value: number, code: unknown, context: Context): Omit<Cell, 'column'> {
  const format = formatBy(context, code);
  if (format.shows !== 'number') return serialValue(value, format, context.dates);
  return { kind: 'number', text: decimalOf(value), ...(format.note && { note: format.note }) };
}

function valueOf({ t: type, v: value, z: code }: RawCell, context: Context): Omit<Cell, 'column'> | undefined {
  if (type === 'n' && typeof value === 'number') return numberValue(value, code, context);
  if (type === 'b') return { kind: 'boolean', text: value === true ? 'true' : 'false' };
  if (type === 'e') return { kind: 'error', text: errors[Number(value)] ?? `#${String(value)}` };
  if (type !== 's' || typeof value !== 'string') return undefined;
  return { kind: value === '' ? 'empty text' : 'text', text: value.toWellFormed() };
}

function rowOf(cells: readonly (RawCell | undefined)[], number: number, context: Context): SheetRow {
  const read: Cell[] = [];
  cells.forEach((cell, column) => {
    const value = cell === undefined ? undefined : valueOf(cell, context);
    if (value !== undefined) read.push({ column, ...value });
  });
  return { number, cells: read };
}

/** SheetJS tells the console of what it does not know, in the words of the file: those are nobody's log. */
function inSilence<T>(work: () => T): T {
  const { error, warn, log } = console;
  Object.assign(console, { error: () => undefined, warn: () => undefined, log: () => undefined });
  try {
    return work();
  } finally {
    Object.assign(console, { error, warn, log });
  }
}

async function parse(path: string): Promise<Book> {
  const { size } = await stat(path);
  if (size > MOST_BYTES)
    throw new Fault('LIMIT_EXCEEDED', `An XLS workbook may have ${MOST_BYTES} bytes; save it as XLSX.`, {
      extra: { limit: MOST_BYTES, bytes: size },
    });
  const sheetJs = await import('@e965/xlsx');
  const codePages = (await import('@e965/xlsx/dist/cpexcel.full.mjs')) as unknown;
  sheetJs.set_cptable(codePages);
  try {
    const options = { dense: true, cellNF: true, cellText: false, cellHTML: false, cellFormula: false } as const;
    const bytes = await readFile(path);
    return inSilence(() => sheetJs.read(bytes, { type: 'buffer', ...options }));
  } catch (thrown) {
    const { message } = asError(thrown);
    if (/password|encrypt/i.test(message)) throw new Fault('WORKBOOK_ENCRYPTED', 'The workbook is encrypted.');
    throw damaged(message.slice(0, 100).replace(/\.$/, ''));
  }
}

const isCells = (sheet: Book['Sheets'][string] | undefined): boolean =>
  sheet !== undefined && (sheet as { readonly '!type'?: string })['!type'] === undefined;

/** Opens the workbook. Faults: LIMIT_EXCEEDED, WORKBOOK_ENCRYPTED, PARSE_ERROR. */
export async function openXls({ path, signal }: WorkbookSource): Promise<Workbook> {
  const book = await parse(path);
  signal?.throwIfAborted();
  const places = book.SheetNames.map((_, index) => index).filter((index) =>
    isCells(book.Sheets[book.SheetNames[index] ?? '']),
  );
  const sheets = places.map((index): SheetInfo => {
    return { name: book.SheetNames[index] ?? '', isHidden: (book.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0 };
  });
  const context: Context = { dates: book.Workbook?.WBProps?.date1904 === true ? 1904 : 1900, formats: new Map() };
  return {
    sheets,
    close: async () => undefined,
    read: async (index, visit) => {
      const sheet = book.Sheets[sheets[index]?.name ?? ''];
      const rows = (sheet?.['!data'] ?? []) as (RawCell[] | undefined)[];
      rows.forEach((cells, row) => {
        const read = cells === undefined ? undefined : rowOf(cells, row + 1, context);
        if (read !== undefined && read.cells.length > 0) visit(read);
      });
      return (sheet?.['!merges'] ?? []).map(
        ({ s, e }): Merge => ({ top: s.r + 1, left: s.c, bottom: e.r + 1, right: e.c }),
      );
    },
  };
}
