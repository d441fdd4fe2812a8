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
  /** Counts bytes against what a row may take. Throws the Fault LINE_TOO_LONG. */
  spend(bytes: number): void;
  /** Makes a value that no row has met yet, and says what it would take and whether it is a misfit. */
  apart(make: () => DuckDBValue): Apart;
  /** Ends the row and answers what it took. Throws the Fault DECOMPRESSION_LIMIT: a few bytes may stand for very many rows. */
  endRow(): number;
  /** The Fault, with column and row. */
  fault(code: FaultCode, what: string): Fault;
}

const ROW_BYTES = 16;

/** Starts a pass over the rows of a file of `fileBytes`. */
export function startReading(names: readonly string[], fileBytes: number, limits: ReadLimits): Reading {
  const { limit, detail, extra } = allowance(fileBytes, limits);
  const misfits = new Map<number, Misfit>();
  let spent = 0;
  let total = 0;
  let apart: { misfit: string | undefined } | undefined;
  const reading: Reading = {
    column: 0,
    row: 0,
    misfits,
    note(text) {
      if (apart !== undefined) {
        apart.misfit ??= text;
        return null;
      }
      const known = misfits.get(reading.column);
      if (known === undefined) misfits.set(reading.column, { row: reading.row + 1, example: text, count: 1 });
      else known.count++;
      return null;
    },
    spend(bytes) {
      spent += bytes;
      if (spent <= limits.maxRecordBytes) return;
      const { row } = reading;
      throw new Fault('LINE_TOO_LONG', `Row ${row + 1} takes more than ${limits.maxRecordBytes} bytes.`, {
        extra: { row: row + 1, limit: limits.maxRecordBytes },
      });
    },
    apart(make) {
      const [before, noted] = [spent, { misfit: undefined }];
      spent = 0;
      apart = noted;
      try {
        return { value: make(), bytes: spent, misfit: noted.misfit };
      } finally {
        spent = before;
        apart = undefined;
      }
    },
    endRow() {
      const bytes = spent + ROW_BYTES;
      total += bytes;
      spent = 0;
      reading.row++;
      if (total > limit) throw new Fault('DECOMPRESSION_LIMIT', detail, { extra });
      return bytes;
    },
    fault(code, what) {
      const [column, row] = [names[reading.column] ?? '', reading.row + 1];
      return new Fault(code, `Column ${JSON.stringify(column)}, row ${row}: ${what}`, { extra: { column, row } });
    },
  };
  return reading;
}
