// Writes the members of records out as rows of text, numbers by their lexeme: a CSV of one form, whatever the JSON looked like.
import { open } from 'node:fs/promises';
import { type ByteSink, byteSink, intoFile, type SunkRow } from '../csv/sink.ts';
import type { CsvSource } from '../csv/survey.ts';
import type { CsvFile, Family } from '../typing/relation.ts';
import { type KeyColumns, textOf } from './columns.ts';
import type { Kind } from './grammar.ts';
import { familyOf } from './kinds.ts';
import type { Members } from './members.ts';
import { type JsonFormat, type Phase, readRecords } from './records.ts';

const [COMMA, BACKSLASH] = [44, 92] as const;

function writeCell(sink: ByteSink, family: Family, kind: Kind, bytes: Buffer, start: number, end: number): void {
  if (kind === 'null') return;
  if (family === 'json') return sink.quoted(bytes, start, end);
  if (kind !== 'string') return sink.copy(bytes, start, end);
  // Without an escape, a JSON text in its quotes is a CSV field in its quotes.
  if (!sink.copyWithout(BACKSLASH, bytes, start, end))
    sink.text(`"${textOf(bytes, start, end).replaceAll('"', '""')}"`);
}

/** A row is written column by column, whatever the order of the object's members. */
function rowWriter(columns: KeyColumns, sink: ByteSink) {
  const tableFamilies = columns.list.map(familyOf);
  const places = new Int32Array(tableFamilies.length);
  return (bytes: Buffer, members: Members, record: number): SunkRow => {
    columns.locate(bytes, members, record);
    places.fill(-1);
    for (let place = 0; place < members.count; place++) places[members.columns[place] as number] = place;
    for (let index = 0; index < tableFamilies.length; index++) {
      if (index > 0) sink.byte(COMMA);
      const place = places[index] as number;
      if (place < 0) continue;
      const start = members.valueStarts[place] as number;
      const end = members.valueEnds[place] as number;
      writeCell(sink, tableFamilies[index] as Family, members.kinds[place] as Kind, bytes, start, end);
    }
    return sink.endRow();
  };
}

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

interface Flat {
  readonly rows: number;
  readonly bytes: number;
  readonly longest: number;
}

/** Writes the records of a file to `target`. Faults: those of `readRecords`, and DECOMPRESSION_LIMIT. */
export async function flatten({ source, format, columns, seen, target, phase, each }: Flattening): Promise<Flat> {
  const file = await open(target, 'w');
  const sink = byteSink(intoFile(file.fd, source.maxBytes));
  const write = rowWriter(columns, sink);
  let record = seen;
  let bytes = 0;
  let longest = 0;
  const visit = (raw: Buffer, members: Members, offset: number) => {
    const row = write(raw, members, ++record);
    longest = Math.max(longest, row.end - row.start);
    bytes += row.end - row.start;
    each?.(row, offset, members.end - members.start);
  };
  try {
    const { records } = await readRecords(source, format, visit, { phase });
    sink.drain();
    return { rows: records, bytes, longest };
  } finally {
    await file.close();
  }
}

/** What `flatten` wrote, for DuckDB. Quoted line ends stand in it only where a text has one; whether it has is not worth a look at every byte. */
export const flatCsv = (path: string, columns: number, longestRecord: number): CsvFile => ({
  ...{ path, columns, longestRecord },
  delimiter: ',',
  header: 'no header',
  quotedNewlines: 'quoted newlines',
  newline: 'lf',
});
