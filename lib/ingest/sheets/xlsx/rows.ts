// The rows of one XLSX sheet as they come. Programs other than Excel leave out what can be told from the order: the numbers of rows and cells.
import type { NumberFormat } from '../cells/formats.ts';
import { isNumber, numberText } from '../cells/numbers.ts';
import { type DateSystem, isoValue, serialValue } from '../cells/serials.ts';
import { damaged } from '../package/parts.ts';
import { type Cell, columnLetters, type Merge, MOST_COLUMNS, MOST_MERGES, MOST_ROWS, type SheetRow } from '../types.ts';
import type { XmlHandler } from '../xml/reader.ts';
import { attributesOf, eachAttribute, plainOf, unescapeOffice } from '../xml/text.ts';
import type { SharedStrings } from './strings.ts';

export interface SheetContext {
  readonly strings: SharedStrings;
  readonly formatOf: (style: number) => NumberFormat;
  readonly dates: DateSystem;
}

/** The cell that is being read. */
interface Draft {
  column: number;
  type: string;
  style: number;
  value: string;
  hasFormula: boolean;
}

interface Place {
  readonly row: number;
  readonly column: number;
}

/** `B7` is row 7, column 1; undefined for what is no such reference. Dollar signs do not count. */
export function placeOf(reference: string): Place | undefined {
  let column = 0;
  let row = 0;
  for (let at = 0; at < reference.length; at++) {
    const code = reference.charCodeAt(at) & ~(reference.charCodeAt(at) >= 97 ? 32 : 0);
    if (code >= 65 && code <= 90 && row === 0) column = 26 * column + code - 64;
    else if (code >= 48 && code <= 57 && column > 0) row = 10 * row + code - 48;
    else if (code !== 36) return undefined;
  }
  return row > 0 && column > 0 ? { row, column: column - 1 } : undefined;
}

/** `A1:B2`, or undefined for one cell. */
function mergeOf(reference: string): Merge | undefined {
  const [first, last] = reference.split(':').map(placeOf);
  if (first === undefined || last === undefined) return undefined;
  return { top: first.row, left: first.column, bottom: last.row, right: last.column };
}

type Value = Pick<Cell, 'kind' | 'text' | 'note'>;

const textValue = (text: string): Value => ({ kind: text === '' ? 'empty text' : 'text', text });

function numberValue(written: string, format: NumberFormat, dates: DateSystem): Value {
  if (format.shows !== 'number' && isNumber(written)) return serialValue(Number(written), format, dates);
  const text = numberText(written);
  if (text === undefined) return { kind: 'text', text: written };
  return format.note === undefined ? { kind: 'number', text } : { kind: 'number', text, note: format.note };
}

const isTrue = (written: string): boolean => /^(1|true)$/i.test(written.trim());

/** Undefined for a cell that holds nothing. Throws a text that says what is wrong. */
function valueOf(
  { type, style, value, hasFormula }: Draft,
  { strings, formatOf, dates }: SheetContext,
): Value | undefined {
  if (type === 's' && value !== '') {
    const text = strings.at(Number(value));
    if (text === undefined) throw damaged(`it names the shared string ${value.slice(0, 20)}, which is not there`);
    return textValue(text);
  }
  if (type === 'inlineStr') return textValue(value);
  if (type === 'str') return hasFormula || value !== '' ? textValue(unescapeOffice(value)) : undefined;
  if (value === '') return hasFormula ? { kind: 'unknown', text: '' } : undefined;
  if (type === 'n' || type === '') return numberValue(value, formatOf(style), dates);
  if (type === 'b') return { kind: 'boolean', text: isTrue(value) ? 'true' : 'false' };
  if (type === 'e') return { kind: 'error', text: value };
  if (type === 'd') return isoValue(value, formatOf(style));
  if (type === 's') return undefined;
  throw damaged(`it has a cell of the unknown type ${JSON.stringify(type.slice(0, 20))}`);
}

/** Where the reading of a sheet stands. */
interface Progress {
  readonly context: SheetContext;
  readonly visit: (row: SheetRow) => void;
  readonly merges: Merge[];
  readonly draft: Draft;
  /** Of the row that is being read, or was last. */
  row: number;
  column: number;
  cells: Cell[];
  isSorted: boolean;
  isData: boolean;
  /** A row without a number of its own takes that of its first cell. */
  isNumbered: boolean;
  /** The text that comes is the cell's. */
  isValue: boolean;
  phonetic: number;
}

function startRow(progress: Progress, raw: string): void {
  let number = 0;
  eachAttribute(raw, (name, value, prefix) => {
    if (name === 'r' && prefix === '') number = Number(value);
  });
  progress.isNumbered = number > 0;
  const next = number > 0 ? number : progress.row + 1;
  if (!(Number.isInteger(next) && next > progress.row && next <= MOST_ROWS))
    throw damaged(`row ${next} follows row ${progress.row}`);
  Object.assign(progress, { row: next, column: -1, cells: [], isSorted: true });
}

function placeCell(progress: Progress, reference: string): void {
  const place = placeOf(reference);
  if (place === undefined) throw damaged(`a cell is called ${JSON.stringify(reference.slice(0, 20))}`);
  if (!progress.isNumbered && place.row >= progress.row && place.row <= MOST_ROWS) progress.row = place.row;
  progress.isNumbered = true;
  if (place.row !== progress.row) throw damaged(`cell ${reference.slice(0, 20)} stands in row ${progress.row}`);
  progress.draft.column = place.column;
}

function startCell(progress: Progress, raw: string): void {
  const { draft } = progress;
  draft.column = progress.column + 1;
  draft.type = '';
  draft.style = 0;
  draft.value = '';
  draft.hasFormula = false;
  eachAttribute(raw, (name, value, prefix) => {
    if (prefix !== '') return;
    if (name === 'r') placeCell(progress, value);
    else if (name === 't') draft.type = value;
    else if (name === 's') draft.style = Number(value);
  });
  if (draft.column >= MOST_COLUMNS) throw damaged(`it has more than ${MOST_COLUMNS} columns`);
}

function endCell(progress: Progress): void {
  const { draft, context, row } = progress;
  const value = valueOf(draft, context);
  progress.isSorted &&= draft.column > progress.column;
  progress.column = draft.column;
  if (value === undefined) return;
  if (!value.text.isWellFormed()) throw damaged(`cell ${columnLetters(draft.column)}${row} has half of a character`);
  progress.cells.push({ column: draft.column, ...value });
}

function endRow({ cells, isSorted, row, visit }: Progress): void {
  if (!isSorted) cells.sort((a, b) => a.column - b.column);
  const twice = isSorted ? undefined : cells.find((cell, index) => cells[index + 1]?.column === cell.column);
  if (twice !== undefined) throw damaged(`cell ${columnLetters(twice.column)}${row} stands twice`);
  if (cells.length > 0) visit({ number: row, cells });
}

function openInData(progress: Progress, name: string, raw: string): void {
  if (name === 'c') startCell(progress, raw);
  else if (name === 'row') startRow(progress, raw);
  else if (name === 'v') progress.isValue = true;
  else if (name === 't') progress.isValue = progress.phonetic === 0;
  else if (name === 'f') progress.draft.hasFormula = true;
  else if (name === 'rPh') progress.phonetic++;
}

function closeInData(progress: Progress, name: string): void {
  const { draft } = progress;
  if (name === 'c') endCell(progress);
  else if (name === 'row') endRow(progress);
  else if (name === 'v' || name === 't') progress.isValue = false;
  else if (name === 'rPh') progress.phonetic--;
  else if (name === 'is') draft.value = unescapeOffice(draft.value);
  else if (name === 'sheetData') progress.isData = false;
}

function openOutside(progress: Progress, name: string, raw: string): void {
  if (name === 'sheetData') progress.isData = true;
  if (name !== 'mergeCell') return;
  const merge = mergeOf(attributesOf(raw)['ref'] ?? '');
  if (merge !== undefined) progress.merges.push(merge);
  if (progress.merges.length > MOST_MERGES) throw damaged(`it has more than ${MOST_MERGES} merged cells`);
}

/** `visit` gets rows that hold something; `merges` is filled on the way. */
export function sheetRows(context: SheetContext, visit: (row: SheetRow) => void, merges: Merge[]): XmlHandler {
  const progress: Progress = {
    ...{ context, visit, merges, row: 0, column: -1, cells: [], phonetic: 0 },
    draft: { column: 0, type: '', style: 0, value: '', hasFormula: false },
    ...{ isSorted: true, isData: false, isNumbered: true, isValue: false },
  };
  return {
    open: (name, raw) => (progress.isData ? openInData(progress, name, raw) : openOutside(progress, name, raw)),
    text: (raw) => {
      if (progress.isValue) progress.draft.value += plainOf(raw);
    },
    literal: (plain) => {
      if (progress.isValue) progress.draft.value += plain;
    },
    close: (name) => {
      if (progress.isData) closeInData(progress, name);
    },
  };
}
