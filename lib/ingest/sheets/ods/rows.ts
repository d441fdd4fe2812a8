// The rows of one OpenDocument sheet as they come. Rows and cells that are alike are written once, with a count: a million empty rows are one.
import { Fault } from '../../../core/fault.ts';
import { damaged } from '../package/parts.ts';
import { type Cell, type Merge, MOST_COLUMNS, MOST_MERGES, MOST_ROWS, type SheetRow } from '../types.ts';
import type { XmlHandler } from '../xml/reader.ts';
import { eachAttribute, plainOf } from '../xml/text.ts';
import { type CellAttributes, valueOf } from './cells.ts';
import { type ParagraphReader, paragraphs } from './paragraphs.ts';

/** Where the reading of the part stands. */
interface Progress {
  readonly wanted: number;
  readonly visit: (row: SheetRow) => void;
  readonly merges: Merge[];
  readonly maxBytes: number;
  readonly texts: ParagraphReader;
  /** The sheet that is being read, or was last; and how deep in tables the reading is. */
  sheet: number;
  depth: number;
  /** Rows above the one that is being read, from 0. */
  row: number;
  column: number;
  cells: Cell[];
  rowRepeats: number;
  attributes: CellAttributes;
  isCell: boolean;
  /** What was visited so far. */
  bytes: number;
}

const CELL_BYTES = 8;

function allAttributes(raw: string): CellAttributes {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  eachAttribute(raw, (name, value, prefix) => {
    if (prefix !== 'xmlns') found[prefix === 'calcext' ? `calcext:${name}` : name] = plainOf(value);
  });
  return found;
}

/** A count of 1 where none is given. */
function countOf(written: string | undefined): number {
  const count = Number(written ?? 1);
  if (!Number.isInteger(count) || count < 1)
    throw damaged(`it repeats something ${String(written).slice(0, 20)} times`);
  return count;
}

function startRow(progress: Progress, raw: string): void {
  progress.rowRepeats = countOf(allAttributes(raw)['number-rows-repeated']);
  progress.cells = [];
  progress.column = 0;
}

function endRow(progress: Progress): void {
  const { cells, rowRepeats, visit } = progress;
  const bytes = cells.reduce((sum, { text }) => sum + text.length + CELL_BYTES, 0);
  const repeats = cells.length === 0 ? 0 : rowRepeats;
  if (progress.row + repeats > MOST_ROWS) throw damaged(`it has more than ${MOST_ROWS} rows`);
  progress.bytes += repeats * bytes;
  if (progress.bytes > progress.maxBytes)
    throw new Fault('DECOMPRESSION_LIMIT', `Its rows, repeated as it says, take more than ${progress.maxBytes} bytes.`);
  for (let repeat = 1; repeat <= repeats; repeat++) visit({ number: progress.row + repeat, cells });
  progress.row += rowRepeats;
}

function startCell(progress: Progress, raw: string): void {
  progress.attributes = allAttributes(raw);
  progress.isCell = true;
  progress.texts.begin();
}

function addMerge({ attributes, row, column, merges }: Progress): void {
  const rows = countOf(attributes['number-rows-spanned']);
  const columns = countOf(attributes['number-columns-spanned']);
  if (rows === 1 && columns === 1) return;
  merges.push({ top: row + 1, left: column, bottom: row + rows, right: column + columns - 1 });
  if (merges.length > MOST_MERGES) throw damaged(`it has more than ${MOST_MERGES} merged cells`);
}

function endCell(progress: Progress): void {
  const { attributes, cells, column, texts } = progress;
  const repeats = countOf(attributes['number-columns-repeated']);
  const value = valueOf(attributes, texts.text());
  progress.isCell = false;
  progress.column += repeats;
  addMerge({ ...progress, column });
  if (value === undefined) return;
  if (column + repeats > MOST_COLUMNS) throw damaged(`it has more than ${MOST_COLUMNS} columns`);
  if (!value.text.isWellFormed()) throw damaged(`a cell of row ${progress.row + 1} has half of a character`);
  for (let repeat = 0; repeat < repeats; repeat++) cells.push({ column: column + repeat, ...value });
}

function open(progress: Progress, name: string, raw: string): void {
  if (name === 'table' && ++progress.depth === 1) {
    progress.sheet++;
    progress.row = 0;
  }
  if (progress.depth !== 1 || progress.sheet !== progress.wanted) return;
  if (progress.isCell) progress.texts.open(name, raw);
  else if (name === 'table-row') startRow(progress, raw);
  else if (name === 'table-cell' || name === 'covered-table-cell') startCell(progress, raw);
}

function close(progress: Progress, name: string): void {
  if (name === 'table') progress.depth--;
  if (progress.depth !== 1 || progress.sheet !== progress.wanted) return;
  if (name === 'table-cell' || name === 'covered-table-cell') endCell(progress);
  else if (progress.isCell) progress.texts.close(name);
  else if (name === 'table-row') endRow(progress);
}

/** `visit` gets rows that hold something of the sheet `wanted`, from 0; `merges` is filled on the way. */
export function sheetRows(
  wanted: number,
  { visit, merges, maxBytes }: Pick<Progress, 'visit' | 'merges' | 'maxBytes'>,
): XmlHandler {
  const progress: Progress = {
    ...{ wanted, visit, merges, maxBytes, texts: paragraphs(), sheet: -1, depth: 0, row: 0, column: 0 },
    ...{ cells: [], rowRepeats: 1, attributes: {}, isCell: false, bytes: 0 },
  };
  return {
    open: (name, raw) => open(progress, name, raw),
    close: (name) => close(progress, name),
    text: (raw) => {
      if (progress.isCell) progress.texts.add(plainOf(raw));
    },
    literal: (plain) => {
      if (progress.isCell) progress.texts.add(plain);
    },
  };
}
