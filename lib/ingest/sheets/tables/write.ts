// Writes the rows of one table in the one form of CSV that DuckDB is given: texts in quotes, anything else without, nothing for NULL.
import { open } from 'node:fs/promises';
import { sampler } from '../../csv/sample.ts';
import { type ByteSink, byteSink, intoFile } from '../../csv/sink.ts';
import { type Cell, isFilled, type SheetRow } from '../types.ts';
import type { Range } from './facts.ts';

/** Days of a column that has times as well are its midnights. */
export interface Column {
  readonly days: 'days' | 'midnights';
}

export interface Layout {
  /** By column of the sheet. */
  readonly columns: ReadonlyMap<number, Column>;
  readonly range: Range;
  /** An estimate, for a sample from all over the table. */
  readonly bytes: number;
  readonly maxBytes: number;
  readonly isNull: (cell: Cell) => boolean;
  /** The cells of a row with what is merged into it. */
  readonly fill: (row: SheetRow) => readonly Cell[];
}

export interface WrittenRows {
  readonly sample: Buffer;
  readonly sampleIsAll: boolean;
  readonly bytes: number;
  readonly longest: number;
}

const COMMA = 44;

function writeCell(sink: ByteSink, { kind, text }: Cell, { days }: Column): void {
  if (kind === 'text') sink.text(`"${text.includes('"') ? text.replaceAll('"', '""') : text}"`);
  else if (kind === 'date' && days === 'midnights') sink.text(`${text} 00:00:00`);
  else if (kind !== 'error' && kind !== 'unknown' && kind !== 'empty text') sink.text(text);
}

/** `read` visits the rows of the sheet. Faults: those of `read`, DECOMPRESSION_LIMIT. */
export async function writeRows(
  target: string,
  { columns, range, bytes: expected, maxBytes, isNull, fill }: Layout,
  read: (visit: (row: SheetRow) => void) => Promise<unknown>,
): Promise<WrittenRows> {
  const file = await open(target, 'w');
  const sink = byteSink(intoFile(file.fd, maxBytes));
  const sample = sampler(expected);
  const places = [...columns];
  const byColumn = new Map<number, Cell>();
  let bytes = 0;
  let longest = 0;
  const write = (cells: readonly Cell[]): void => {
    byColumn.clear();
    for (const cell of cells) if (!isNull(cell)) byColumn.set(cell.column, cell);
    for (const [place, [number, column]] of places.entries()) {
      if (place > 0) sink.byte(COMMA);
      const cell = byColumn.get(number);
      if (cell !== undefined) writeCell(sink, cell, column);
    }
    const row = sink.endRow();
    const size = row.end - row.start;
    sample.offer(row.bytes, row.start, row.end, bytes);
    bytes += size;
    longest = Math.max(longest, size);
  };
  try {
    await read((row) => {
      if (row.number < range.first || row.number > range.last || !row.cells.some(isFilled)) return;
      write(fill(row));
    });
    sink.drain();
  } finally {
    await file.close();
  }
  return { sample: sample.bytes(), sampleIsAll: sample.isAll(), bytes, longest };
}
