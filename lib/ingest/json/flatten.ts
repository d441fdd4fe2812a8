// Writes the members of records out as rows of text, numbers by their lexeme: a CSV of one form, whatever the JSON looked like.
import { open } from 'node:fs/promises';
import { byteSink, intoFile, type SunkRow } from '../csv/sink.ts';
import type { CsvSource } from '../csv/survey.ts';
import type { CsvFile, Family } from '../typing/relation.ts';
import { type KeyColumn, type KeyColumns, textOf } from './columns.ts';
import type { Kind } from './grammar.ts';
import { familyOf } from './kinds.ts';
import type { Members } from './members.ts';
import { type JsonFormat, type Phase, readRecords } from './records.ts';

const [LF, CR, COMMA, BACKSLASH] = [10, 13, 44, 92] as const;

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
  readonly fd: number;
  readonly maxBytes: number;
  readonly columns: number;
  /** Absent while columns are still being found: a value is then written as its own kind says. */
  readonly families?: readonly Family[] | undefined;
}

/** Rows are written column by column, whatever the order of the object's members. */
function flatRows({ fd, maxBytes, columns, families }: Target) {
  const sink = byteSink(intoFile(fd, maxBytes));
  const places = new Int32Array(columns);
  let [rows, bytes, longest, quotedNewlines] = [0, 0, 0, false];

  const writeJson = (raw: Buffer, start: number, end: number): void => {
    const text = raw.subarray(start, end);
    quotedNewlines ||= text.includes(LF) || text.includes(CR);
    sink.quoted(raw, start, end);
  };
  const writeEscaped = (raw: Buffer, start: number, end: number): void => {
    const text = textOf(raw, start, end);
    quotedNewlines ||= /[\r\n]/.test(text);
    sink.text(`"${text.replaceAll('"', '""')}"`);
  };
  const writeCell = (isJson: boolean, kind: Kind, raw: Buffer, start: number, end: number): void => {
    if (kind === 'null') return;
    if (isJson) writeJson(raw, start, end);
    else if (kind !== 'string') sink.copy(raw, start, end);
    // Without an escape, a JSON text in its quotes is a CSV field in its quotes.
    else if (!sink.copyWithout(BACKSLASH, raw, start, end)) writeEscaped(raw, start, end);
  };
  const add = (raw: Buffer, members: Members): SunkRow => {
    places.fill(-1);
    for (let place = 0; place < members.count; place++) places[members.columns[place] as number] = place;
    for (let index = 0; index < columns; index++) {
      if (index > 0) sink.byte(COMMA);
      const place = places[index] as number;
      if (place < 0) continue;
      const kind = members.kinds[place] as Kind;
      const isJson = families === undefined ? kind === 'nested' : families[index] === 'json';
      writeCell(isJson, kind, raw, members.valueStarts[place] as number, members.valueEnds[place] as number);
    }
    const row = sink.endRow();
    const size = row.end - row.start;
    rows++;
    bytes += size;
    if (size > longest) longest = size;
    return row;
  };
  return { add, drain: sink.drain, found: (): Flat => ({ columns, rows, bytes, longest, quotedNewlines }) };
}

/**
 * Writes records while their columns are still being found. That holds as long as each of them has a key of the first one; what is
 * written is of use where `fits` says so in the end. At most `maxBytes`.
 */
export function writeAhead(columns: KeyColumns, fd: number, maxBytes: number) {
  let flat: ReturnType<typeof flatRows> | undefined;
  let [width, bytes, holds] = [0, 0, true];
  return {
    /** The row of a record of which the columns are known; undefined once nothing is written any more. */
    add: (raw: Buffer, members: Members): SunkRow | undefined => {
      if (flat === undefined) {
        width = columns.list.length;
        flat = flatRows({ fd, maxBytes: Infinity, columns: width });
      }
      holds &&= width === columns.list.length && bytes <= maxBytes;
      if (!holds) return undefined;
      const row = flat.add(raw, members);
      bytes += row.end - row.start;
      return row;
    },
    end: (): Flat | undefined => {
      if (flat === undefined || !holds || bytes > maxBytes) return undefined;
      flat.drain();
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
  const flat = flatRows({ fd: file.fd, maxBytes: source.maxBytes, columns: list.length, families });
  let record = seen;
  const visit = (raw: Buffer, members: Members, offset: number) => {
    columns.locate(raw, members, ++record);
    const row = flat.add(raw, members);
    each?.(row, offset, members.end - members.start);
  };
  await readRecords(source, format, visit, { phase });
  flat.drain();
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
