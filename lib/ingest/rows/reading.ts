// What the readers of binary formats share while they read rows: where they are, what a row may take, and which values no type of ours holds.
import type { DuckDBValue } from '@duckdb/node-api';
import { Fault, type FaultCode } from '../../core/fault.ts';
import { allowance } from '../formats/compression/expand.ts';
import type { ReadLimits } from '../reading/types.ts';

/** How a value is made: of its DuckDB type; as the text of a column that is text; as JSON inside such a column. */
export type Mode = 'typed' | 'text' | 'json';

/** The first value of a column that its type does not hold, and how many there are. */
export interface Misfit {
  /** From 1. */
  readonly row: number;
  readonly example: string;
  count: number;
}

export interface Apart {
  readonly value: DuckDBValue;
  readonly bytes: number;
  readonly misfit: string | undefined;
}

/** One pass over the rows of a file. */
export interface Reading {
  /** The column and the row, from 0, that are being read. */
  column: number;
  row: number;
  readonly misfits: ReadonlyMap<number, Misfit>;
  /** Says that the type of this column does not hold a value; NULL takes its place until the column is read as text. */
  note(text: string): null;
  /** Counts bytes against what a cell and a row may take. Throws the Faults CELL_TOO_LARGE and LINE_TOO_LONG. */
  spend(bytes: number): void;
  /** Makes a value that no row has met yet, and says what it would take and whether it is a misfit. */
  apart(make: () => DuckDBValue): Apart;
  /** Ends the row and answers what it took. Throws the Fault DECOMPRESSION_LIMIT: a few bytes may stand for very many rows. */
  endRow(): number;
  /** The Fault, with column and row. */
  fault(code: FaultCode, what: string): Fault;
}

const ROW_BYTES = 16;

/** Values that no column holds, those of the rows and those that no row has met yet. */
function misfitLog(place: { readonly column: number; readonly row: number }) {
  const misfits = new Map<number, Misfit>();
  let apart: { misfit: string | undefined } | undefined;
  const note = (text: string): null => {
    const known = misfits.get(place.column);
    if (apart !== undefined) apart.misfit ??= text;
    else if (known !== undefined) known.count++;
    else misfits.set(place.column, { row: place.row + 1, example: text, count: 1 });
    return null;
  };
  const noting = <T>(make: () => T): { value: T; misfit: string | undefined } => {
    const noted: { misfit: string | undefined } = { misfit: undefined };
    apart = noted;
    try {
      return { value: make(), misfit: noted.misfit };
    } finally {
      apart = undefined;
    }
  };
  return { misfits, note, noting };
}

/** Counts what a value is made of, piece by piece. */
function cellMeter(place: { readonly column: number; readonly row: number }, names: readonly string[], limit: number) {
  let [atColumn, atRow, held] = [-1, -1, 0];
  return {
    reset: (): void => void (held = 0),
    spend: (bytes: number): void => {
      held = atColumn === place.column && atRow === place.row ? held + bytes : bytes;
      atColumn = place.column;
      atRow = place.row;
      if (held <= limit) return;
      const [column, row] = [names[place.column] ?? '', place.row + 1];
      const detail = `Column ${JSON.stringify(column)}, row ${row}: its value takes more than ${limit} bytes.`;
      throw new Fault('CELL_TOO_LARGE', detail, { extra: { column, row, limit } });
    },
  };
}

/** Starts a pass over the rows of a file of `fileBytes`. */
export function startReading(names: readonly string[], fileBytes: number, limits: ReadLimits): Reading {
  const { limit, detail, extra } = allowance(fileBytes, limits);
  const place = { column: 0, row: 0 };
  const { misfits, note, noting } = misfitLog(place);
  let [spent, total] = [0, 0];
  const cell = cellMeter(place, names, limits.maxCellBytes);
  return Object.assign(place, {
    misfits,
    note,
    spend(bytes: number) {
      spent += bytes;
      if (spent <= limits.maxRecordBytes) return cell.spend(bytes);
      throw new Fault('LINE_TOO_LONG', `Row ${place.row + 1} takes more than ${limits.maxRecordBytes} bytes.`, {
        extra: { row: place.row + 1, limit: limits.maxRecordBytes },
      });
    },
    apart(make: () => DuckDBValue) {
      const before = spent;
      spent = 0;
      cell.reset();
      const made = noting(make);
      const bytes = spent;
      spent = before;
      return { ...made, bytes };
    },
    endRow() {
      const bytes = spent + ROW_BYTES;
      total += bytes;
      spent = 0;
      place.row++;
      if (total > limit) throw new Fault('DECOMPRESSION_LIMIT', detail, { extra });
      return bytes;
    },
    fault(code: FaultCode, what: string) {
      const [column, row] = [names[place.column] ?? '', place.row + 1];
      return new Fault(code, `Column ${JSON.stringify(column)}, row ${row}: ${what}`, { extra: { column, row } });
    },
  });
}
