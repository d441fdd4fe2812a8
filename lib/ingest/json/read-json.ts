// JSON and NDJSON: reading finds the keys and the kinds of their values, and writes the members out as rows of text; what follows is the
// same as for CSV. Where records have keys that the first one has not, the rows are written in a second pass.
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { sampler } from '../csv/sample.ts';
import type { SunkRow } from '../csv/sink.ts';
import { csvRows } from '../csv/slices.ts';
import { eachTaken } from './taking.ts';
import type { CsvSource } from '../csv/survey.ts';
import type { Finding } from '../csv/tally.ts';
import type { ReadOptions } from '../options.ts';
import { nameColumns } from '../reading/names.ts';
import { askedColumns } from '../typing/asked-columns.ts';
import type { TextColumn, TextTable } from '../typing/relation.ts';
import { warn } from '../warnings.ts';
import { badOf } from './bad-lines.ts';
import { findingOf } from './finding.ts';
import { type KeyColumn, type KeyColumns, keyColumns } from './columns.ts';
import { fits, flatCsv, flatten, writeAhead } from './flatten.ts';
import { familyOf, mixed, tally } from './kinds.ts';
import { linesOfRecords } from './lines.ts';
import { type JsonFormat, readRecords, type Taken, type Visit } from './records.ts';

export interface PreparedJson {
  readonly table: TextTable;
  readonly warnings: readonly Warning[];
}

/** The columns of the table and what is to be said of them. Throws the Fault EMPTY_FILE where there are none. */
export function columnsOf(
  list: readonly Pick<KeyColumn, 'key' | 'counts' | 'first'>[],
  rows: number,
  options: ReadOptions,
): { readonly columns: readonly TextColumn[]; readonly warnings: readonly Warning[] } {
  if (list.length === 0) throw new Fault('EMPTY_FILE', rows === 0 ? 'There are no records.' : 'No record has a key.');
  const named = nameColumns(
    list.map(({ key }) => key),
    list.length,
  );
  const nameOf = ({ key }: Pick<KeyColumn, 'key'>, index: number): string => named.names[index] ?? key;
  const columns = askedColumns(list.map(nameOf), options, (place) => familyOf(must(list[place], 'a key')));
  return {
    columns,
    warnings: [
      ...named.warnings,
      ...list.flatMap((column, index) => {
        const isAsked = columns[index]?.family === 'verbatim';
        return isAsked ? [] : mixed(column, nameOf(column, index));
      }),
    ],
  };
}

/** That lines are left out. */
export const badWarnings = (found: Finding | undefined): Warning[] =>
  found === undefined ? [] : [warn('RECORDS_REJECTED', { ...found })];

/** Finds keys and kinds, and writes the rows ahead where each record has the keys of the first. */
async function surveyRecords(source: CsvSource, format: JsonFormat, flatPath: string) {
  await using file = await open(flatPath, 'w');
  const keys = keyColumns(source.maxColumns);
  const ahead = writeAhead(keys, { fd: file.fd, maxBytes: Math.min(source.size, source.maxBytes) });
  const sample = sampler(source.size);
  let row = 0;
  const bad = findingOf(() => row);
  const offer = (line: SunkRow | undefined, offset: number, size: number): void => {
    if (line) sample.offer(line.bytes, line.start, line.end, offset, size);
  };
  const visit: Visit = (bytes, members, offset) => {
    tally(keys, bytes, members, ++row);
    offer(ahead.add(bytes, members), offset, members.end - members.start);
  };
  const taken: Taken = (records, offset) => {
    row += records.count;
    eachTaken(records, (start, end) => offer(ahead.took(), offset + start, end - start));
  };
  const { records: rows } = await readRecords(source, format, visit, { ...bad, taking: ahead.taking, taken });
  const flat = ahead.end();
  const isFlat = flat !== undefined && fits(flat, keys.list);
  return { rows, keys, bad: bad.found(), ahead: isFlat ? { flat, sample } : undefined };
}

interface Surveyed {
  readonly keys: KeyColumns;
  readonly rows: number;
  readonly flatPath: string;
}

async function flattenRecords(source: CsvSource, format: JsonFormat, { keys, rows, flatPath }: Surveyed) {
  const sample = sampler(source.size);
  const each = (row: SunkRow, offset: number, size: number) =>
    sample.offer(row.bytes, row.start, row.end, offset, size);
  return { flat: await flatten({ source, format, columns: keys, seen: rows, target: flatPath, each }), sample };
}

/**
 * Reads a JSON array of objects, or NDJSON, into rows of text in `workDir`.
 * Faults: PARSE_ERROR, LINE_TOO_LONG, ENCODING_INVALID, TOO_MANY_COLUMNS, EMPTY_FILE.
 */
export async function prepareJson(
  source: CsvSource,
  format: JsonFormat,
  workDir: string,
  options: ReadOptions = {},
): Promise<PreparedJson> {
  const flatPath = join(workDir, 'flat.csv');
  const { rows, keys, bad, ...surveyed } = await surveyRecords(source, format, flatPath);
  const { columns, warnings } = columnsOf(keys.list, rows, options);
  const { flat, sample } = surveyed.ahead ?? (await flattenRecords(source, format, { keys, rows, flatPath }));
  const samplePath = join(workDir, 'sample.csv');
  await writeFile(samplePath, sample.bytes());
  const slicing = { workDir, maxBytes: source.maxBytes, signal: source.signal };
  const table: TextTable = {
    all: await csvRows(flatCsv(flatPath, flat), slicing),
    sample: await csvRows(flatCsv(samplePath, flat), slicing),
    sampleIsAll: sample.isAll(),
    columns,
    rows,
    bytes: flat.bytes,
    emptyIsNull: false,
    bad: badOf(bad, source),
    dateOrder: options.dateOrder,
    linesOf: (some) => linesOfRecords(source, format, some),
  };
  return { table, warnings: [...warnings, ...badWarnings(bad)] };
}
