// Writes the members of records out as rows of text, numbers by their lexeme: a CSV of one form, whatever the JSON looked like.
import { open } from 'node:fs/promises';
import { intoFile, type SunkRow } from '../csv/sink.ts';
import type { CsvSource } from '../csv/survey.ts';
import type { CsvFile, Family } from '../typing/relation.ts';
import { type KeyColumn, type KeyColumns } from './columns.ts';
import { FIELD_SLACK, type Fields, putByte, putNested, putRaw, putText, wordsOf } from './fields.ts';
import { NESTED, NULL, STRING } from './grammar.ts';
import { familyOf } from './kinds.ts';
import type { Leads } from './leads.ts';
import type { Members } from './members.ts';
import { type JsonFormat, type Phase, readRecords, type Taken } from './records.ts';
import { type RowBuffer, rowBuffer } from './rows.ts';
import { eachTaken, recordTaker, type Taker } from './taking.ts';

const COMMA = 44;

/** What was written, for who reads it. */
export interface Flat {
  readonly rows: number;
  readonly bytes: number;
  /** Of each row. */
  readonly columns: number;
  /** Bytes of the longest row. */
  readonly longest: number;
  /** A text of it has a line end. */
  readonly quotedNewlines: boolean;
}

interface Target {
  readonly buffer: RowBuffer;
  readonly columns: number;
  /** Absent while columns are still being found: a value is then written as its own kind says. */
  readonly families?: readonly Family[] | undefined;
}

/** Rows are written column by column, whatever the order of the object's members. */
function flatRows({ buffer, columns, families }: Target) {
  const places = new Int32Array(columns);
  let [rows, bytes, longest, shape] = [0, 0, 0, -1];
  let from = wordsOf(Buffer.alloc(0));

  const place = (members: Members): void => {
    places.fill(-1);
    for (let index = 0; index < members.count; index++) places[members.columns[index] as number] = index;
    ({ shape } = members);
  };
  const writeCell = (fields: Fields, index: number, members: Members): void => {
    const at = places[index] as number;
    const kind = at < 0 ? NULL : (members.kinds[at] as number);
    if (kind === NULL) return;
    const start = members.valueStarts[at] as number;
    const end = members.valueEnds[at] as number;
    const isJson = families === undefined ? kind === NESTED : families[index] === 'json';
    if (isJson) putNested(fields, from, start, end);
    else if (kind === STRING) putText(fields, from, start, end);
    else putRaw(fields, from, start, end);
  };
  /** Ends the row that has been written, and answers it. */
  const end = (): SunkRow => {
    const row = buffer.endRow();
    const size = row.end - row.start;
    rows++;
    bytes += size;
    if (size > longest) longest = size;
    return row;
  };
  const add = (raw: Buffer, members: Members): SunkRow => {
    if (raw !== from.bytes) from = wordsOf(raw);
    if (shape !== members.shape) place(members);
    const fields = buffer.room(2 * (members.end - members.start) + columns * FIELD_SLACK);
    for (let index = 0; index < columns; index++) {
      if (index > 0) putByte(fields, COMMA);
      writeCell(fields, index, members);
    }
    return end();
  };
  /** The same of all rows that the buffer holds. */
  const endHeld = (): number => {
    const held = buffer.endHeld();
    rows += held.rows;
    bytes += held.bytes;
    longest = Math.max(longest, held.longest);
    return held.bytes;
  };
  const found = (): Flat => ({ columns, rows, bytes, longest, quotedNewlines: buffer.hasLineEnds() });
  return { add, end, endHeld, found };
}

interface Ahead {
  readonly fd: number;
  readonly maxBytes: number;
}

/**
 * Writes records while their columns are still being found. That holds as long as each of them has a key of the first one, and for
 * at most `maxBytes`; what is written is of use where `fits` says so in the end. Without a file, nothing is.
 */
export function writeAhead(columns: KeyColumns, to: Ahead | undefined) {
  const buffer = rowBuffer(to === undefined ? () => undefined : intoFile(to.fd, Infinity));
  const { maxBytes = -1 } = to ?? {};
  let flat: ReturnType<typeof flatRows> | undefined;
  let [width, bytes, holds] = [0, 0, true];

  const rows = () => {
    if (flat === undefined) {
      width = columns.list.length;
      flat = flatRows({ buffer, columns: width });
    }
    holds &&= width === columns.list.length && bytes <= maxBytes;
    return holds ? flat : undefined;
  };
  const written = (row: SunkRow | undefined): SunkRow | undefined => {
    if (row !== undefined) bytes += row.end - row.start;
    return row;
  };
  return {
    /** The row of a record of which the columns are known; undefined once nothing is written any more. */
    add: (raw: Buffer, members: Members): SunkRow | undefined => written(rows()?.add(raw, members)),
    taking: (leads: Leads): Taker => recordTaker({ columns, buffer }, leads),
    /** The row of the next record that was taken. */
    took: (): SunkRow | undefined => written(rows()?.end()),
    /** Those of all that were taken. */
    tookAll: (): void => {
      bytes += rows()?.endHeld() ?? 0;
    },
    end: (): Flat | undefined => {
      if (flat === undefined || !holds || bytes > maxBytes) return undefined;
      buffer.drain();
      return flat.found();
    },
  };
}

/** Whether what was written ahead is what `flatten` writes, now that all records have been seen. */
export const fits = ({ columns }: Flat, keys: readonly Pick<KeyColumn, 'counts'>[]): boolean =>
  columns === keys.length && keys.every((key) => familyOf(key) !== 'json' || isNestedOnly(key));

/** A text, a number or a boolean among nested values is JSON as well. */
const isNestedOnly = ({ counts }: Pick<KeyColumn, 'counts'>): boolean =>
  counts.string + counts.number + counts.boolean === 0;

interface Flattening {
  readonly source: CsvSource;
  readonly format: JsonFormat;
  readonly columns: KeyColumns;
  /** The number of the last record that the columns have seen. */
  readonly seen: number;
  readonly target: string;
  readonly phase?: Phase | undefined;
  /** Is told of each row, where its record starts in the file, and how long that is. */
  readonly each?: ((row: SunkRow, offset: number, size: number) => void) | undefined;
}

/** Writes the records of a file to `target`. Faults: those of `readRecords`, and DECOMPRESSION_LIMIT. */
export async function flatten({ source, format, columns, seen, target, phase, each }: Flattening): Promise<Flat> {
  await using file = await open(target, 'w');
  const { list } = columns;
  const families = list.map(familyOf);
  const buffer = rowBuffer(intoFile(file.fd, source.maxBytes));
  const flat = flatRows({ buffer, columns: list.length, families });
  let record = seen;
  const visit = (raw: Buffer, members: Members, offset: number) => {
    columns.locate(raw, members, ++record);
    const row = flat.add(raw, members);
    each?.(row, offset, members.end - members.start);
  };
  const taken: Taken = (records, offset) => {
    record += records.count;
    if (each === undefined) flat.endHeld();
    else eachTaken(records, (start, end) => each(flat.end(), offset + start, end - start));
  };
  const taking = (leads: Leads) => recordTaker({ columns, buffer, families }, leads);
  await readRecords(source, format, visit, { phase, taking, taken });
  buffer.drain();
  return flat.found();
}

/** What was written to `path`, for DuckDB. */
export const flatCsv = (path: string, { columns, longest, quotedNewlines }: Flat): CsvFile => ({
  ...{ path, columns, longestRecord: longest },
  delimiter: ',',
  header: 'no header',
  quotedNewlines: quotedNewlines ? 'quoted newlines' : 'lines',
  newline: 'lf',
});
