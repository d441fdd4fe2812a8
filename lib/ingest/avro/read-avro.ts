// Avro object container files: the fields of the schema's record are the columns, the blocks hold the rows.
import { closeSync, openSync, statSync } from 'node:fs';
import type { DuckDBValue } from '@duckdb/node-api';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { EngineSettings } from '../engine/engine.ts';
import { nameColumns } from '../reading/names.ts';
import { bytesAt, type LocalFile } from '../rows/local-file.ts';
import type { Reading } from '../rows/reading.ts';
import { type RowFile, writeRows, type WrittenRows } from '../rows/write-rows.ts';
import { warn } from '../warnings.ts';
import { codecOf } from './codecs.ts';
import { type AvroHead, blocksOf, headOf } from './container.ts';
import { type Cursor, damaged } from './cursor.ts';
import { type AvroField, type AvroType, schemaOf } from './schema.ts';
import { isDuration, readerOf, type ValueReader } from './values.ts';

/** What is no record is a table of one column. */
function fieldsOf(root: AvroType): readonly AvroField[] {
  const fields = root.kind === 'record' ? root.fields : [{ name: 'value', type: root }];
  if (fields.length === 0) throw new Fault('EMPTY_FILE', 'The record of the schema has no fields.');
  return fields;
}

function* rowsOf(
  file: LocalFile,
  head: AvroHead,
  reading: Reading,
  readers: readonly ValueReader[],
): Generator<DuckDBValue[]> {
  const decode = codecOf(head.codec);
  for (const { rows, offset, length } of blocksOf(file, head)) {
    const bytes = bytesAt(file, offset, length);
    if (bytes === undefined) throw damaged('the file was cut while it was read.');
    const cursor: Cursor = { bytes: decode(bytes), at: 0 };
    for (let row = 0; row < rows; row++) {
      yield readers.map((reader, column) => {
        reading.column = column;
        return reader.read(cursor);
      });
    }
    if (cursor.at !== cursor.bytes.length) throw damaged(`a block of ${rows} rows holds more bytes than they take.`);
  }
}

/** What the types of a column lose, wherever they are nested. */
function typeWarnings(type: AvroType, column: string): Warning[] {
  if (type.kind === 'null') return [warn('COLUMN_EMPTY', { column })];
  if (isDuration(type)) return [warn('TYPE_AS_TEXT', { column, detail: 'They are durations in ISO 8601.' })];
  if (type.kind === 'array' || type.kind === 'map') return typeWarnings(type.of, column);
  if (type.kind === 'record') return type.fields.flatMap((field) => typeWarnings(field.type, column));
  if (type.kind !== 'union') return isLongDecimal(type) ? [warn('TYPE_AS_TEXT', { column, detail: LONG })] : [];
  const present = type.branches.filter((branch) => branch.type.kind !== 'null');
  const own = present.length > 1 ? [warn('UNION_AS_STRUCT', { column })] : [];
  return [...own, ...present.flatMap((branch) => typeWarnings(branch.type, column))];
}

const LONG = 'They are decimals of more than 38 digits.';
const isLongDecimal = (type: AvroType): boolean =>
  (type.kind === 'bytes' || type.kind === 'fixed') && type.logical === 'decimal' && (type.precision ?? 0) > 38;

/** Reads the file at `path` into Parquet. Faults: PARSE_ERROR, UNSUPPORTED_SCHEMA, ENCODING_INVALID, BLOCK_TOO_LARGE, COMPRESSION_CORRUPT, and those of `writeRows`. */
export async function readAvro(
  settings: EngineSettings & { readonly path: string; readonly target: string },
): Promise<WrittenRows> {
  const { path, target } = settings;
  const fd = openSync(path, 'r');
  try {
    const file: LocalFile = { fd, size: statSync(path).size };
    const head = headOf(file);
    const fields = fieldsOf(schemaOf(head.schema));
    let guessedRows = 0;
    for (const { rows } of blocksOf(file, head)) guessedRows += rows;
    const { names, warnings } = nameColumns(
      fields.map(({ name }) => name),
      fields.length,
    );
    const rowFile: RowFile = {
      path,
      names,
      guessedRows,
      open: (reading, modes) => {
        const readers = fields.map(({ type }, index) => readerOf(type, modes[index] ?? 'typed', reading));
        return { types: readers.map(({ type }) => type), rows: rowsOf(file, head, reading, readers) };
      },
    };
    const written = await writeRows(settings, rowFile, target);
    const lost = fields.flatMap(({ type }, index) => typeWarnings(type, names[index] ?? ''));
    return { ...written, warnings: [...warnings, ...lost, ...written.warnings] };
  } finally {
    closeSync(fd);
  }
}
