// JSON and NDJSON: a first pass finds the keys and the kinds of their values, a second writes the members out as rows of
// text, numbers by their lexeme; what follows is the same as for CSV.
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { type ByteSink, byteSink, intoFile } from '../csv/sink.ts';
import { sampler } from '../csv/sample.ts';
import type { CsvSource } from '../csv/survey.ts';
import { nameColumns } from '../reading/names.ts';
import { csvRelation, type Family, type TextTable } from '../typing/relation.ts';
import { warn } from '../warnings.ts';
import { type KeyColumn, type KeyColumns, keyColumns, textOf } from './columns.ts';
import type { Kind } from './grammar.ts';
import { eachRecord, type Members } from './records.ts';

type Format = 'json' | 'ndjson';
const valueKinds = ['string', 'number', 'boolean', 'nested'] as const satisfies readonly Kind[];
const families = { string: 'text', number: 'number', boolean: 'boolean', nested: 'json' } as const satisfies Partial<
  Record<Kind, Family>
>;

const EXAMPLE_BYTES = 400;
const COMMA = 44;

const kindsOf = ({ counts }: KeyColumn) => valueKinds.filter((kind) => counts[kind] > 0);

/**
 * One kind gives its family. Several are text, each value as it was written, so that a text is found by its own words; where
 * one of them is an object or an array, all are JSON.
 */
function familyOf(column: KeyColumn): Family {
  const kinds = kindsOf(column);
  const [only, ...others] = kinds;
  if (only === undefined) return 'text';
  if (others.length === 0) return families[only];
  return kinds.includes('nested') ? 'json' : 'text';
}

function tally(columns: KeyColumns, bytes: Buffer, members: Members, row: number): void {
  for (let place = 0; place < members.count; place++) {
    const column = columns.find(bytes, members, place, row);
    const kind = members.kinds[place] as Kind;
    column.counts[kind]++;
    if (kind === 'null' || column.first[kind] !== undefined) continue;
    const start = members.valueStarts[place] as number;
    const end = Math.min(members.valueEnds[place] as number, start + EXAMPLE_BYTES);
    column.first[kind] = { row, example: bytes.toString('utf8', start, end) };
  }
}

function mixed(column: KeyColumn, name: string): Warning[] {
  const kinds = kindsOf(column);
  if (kinds.length < 2) return [];
  const rarest = kinds.reduce((a, b) => (column.counts[b] < column.counts[a] ? b : a));
  const detail = `${kinds.map((kind) => `${column.counts[kind]} ${kind}`).join(', ')}.`;
  return [warn('MIXED_JSON_TYPES', { column: name, ...column.first[rarest], count: column.counts[rarest], detail })];
}

function writeCell(sink: ByteSink, family: Family, kind: Kind, bytes: Buffer, start: number, end: number): void {
  if (kind === 'null') return;
  if (family === 'json') return sink.quoted(bytes, start, end);
  if (kind !== 'string') return sink.copy(bytes, start, end);
  // Without an escape, a JSON text in its quotes is a CSV field in its quotes.
  const escape = bytes.subarray(start, end).indexOf(92);
  if (escape < 0) return sink.copy(bytes, start, end);
  sink.text(`"${textOf(bytes, start, end).replaceAll('"', '""')}"`);
}

/** A row is written column by column, whatever the order of the object's members. */
function rowWriter(columns: KeyColumns, sink: ByteSink) {
  const tableFamilies = columns.list.map(familyOf);
  const places = new Int32Array(tableFamilies.length);
  return (bytes: Buffer, members: Members, record: number): Buffer => {
    places.fill(-1);
    for (let place = 0; place < members.count; place++)
      places[columns.find(bytes, members, place, record).index] = place;
    for (const [index, family] of tableFamilies.entries()) {
      if (index > 0) sink.byte(COMMA);
      const place = places[index] as number;
      if (place < 0) continue;
      writeCell(
        sink,
        family,
        members.kinds[place] as Kind,
        bytes,
        members.valueStarts[place] as number,
        members.valueEnds[place] as number,
      );
    }
    return sink.endRow();
  };
}

interface Flat {
  readonly sample: Buffer;
  readonly sampleIsAll: boolean;
  readonly bytes: number;
  readonly longest: number;
}

async function flatten(
  source: CsvSource,
  format: Format,
  columns: KeyColumns,
  rows: number,
  target: string,
): Promise<Flat> {
  const file = await open(target, 'w');
  const sink = byteSink(intoFile(file.fd, source.maxBytes));
  const sample = sampler(source.size);
  const write = rowWriter(columns, sink);
  // Numbered on from the first pass, in which each column has seen records up to `rows`.
  let record = rows;
  let bytes = 0;
  let longest = 0;
  try {
    await eachRecord(source, format, (raw, members, offset) => {
      const row = write(raw, members, ++record);
      longest = Math.max(longest, row.length);
      bytes += row.length;
      sample.offer(row, 0, row.length, offset);
    });
    sink.drain();
  } finally {
    await file.close();
  }
  return { sample: sample.bytes(), sampleIsAll: sample.isAll(), bytes, longest };
}

export interface PreparedJson {
  readonly table: TextTable;
  readonly warnings: readonly Warning[];
}

/**
 * Reads a JSON array of objects, or NDJSON, into rows of text in `workDir`.
 * Faults: PARSE_ERROR, LINE_TOO_LONG, ENCODING_INVALID, TOO_MANY_COLUMNS, EMPTY_FILE.
 */
export async function prepareJson(source: CsvSource, format: Format, workDir: string): Promise<PreparedJson> {
  const columns = keyColumns(source.maxColumns);
  let row = 0;
  const rows = await eachRecord(source, format, (bytes, members) => tally(columns, bytes, members, ++row));
  if (columns.list.length === 0)
    throw new Fault('EMPTY_FILE', rows === 0 ? 'There are no records.' : 'No record has a key.');
  const flatPath = join(workDir, 'flat.csv');
  const samplePath = join(workDir, 'sample.csv');
  const flat = await flatten(source, format, columns, rows, flatPath);
  await writeFile(samplePath, flat.sample);
  const { names, warnings } = nameColumns(
    columns.list.map(({ key }) => key),
    columns.list.length,
  );
  // The rows hold quoted line ends only where a text has one; whether it has is not worth a look at every byte.
  const shape = {
    delimiter: ',',
    columns: names.length,
    header: 'no header',
    longestRecord: flat.longest,
    quotedNewlines: 'quoted newlines',
    newline: 'lf',
  } as const;
  const table: TextTable = {
    all: csvRelation({ ...shape, path: flatPath }),
    sample: csvRelation({ ...shape, path: samplePath }),
    sampleIsAll: flat.sampleIsAll,
    columns: columns.list.map((column, index) => ({ name: names[index] ?? column.key, family: familyOf(column) })),
    rows,
    bytes: flat.bytes,
    emptyIsNull: false,
  };
  return {
    table,
    warnings: [...warnings, ...columns.list.flatMap((column, index) => mixed(column, names[index] ?? column.key))],
  };
}
