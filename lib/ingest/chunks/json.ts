// A chunk of a large JSON array or of NDJSON, flattened for DuckDB, unless that was done with the survey.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { csvRows } from '../csv/slices.ts';
import type { CsvSource } from '../csv/survey.ts';
import { type KeptColumn, keyColumns } from '../json/columns.ts';
import { fits, type Flat, flatCsv, flatten } from '../json/flatten.ts';
import type { JsonFormat, Phase } from '../json/records.ts';
import type { Rows } from '../typing/relation.ts';
import { tookLeft } from './plain.ts';

interface ToRelate {
  readonly source: CsvSource;
  readonly format: JsonFormat;
  readonly keys: readonly KeptColumn[];
  readonly phase: Phase;
  readonly workDir: string;
  /** What the survey wrote ahead, and where it left it. */
  readonly ahead?: { readonly flat: Flat; readonly path: string } | undefined;
}

/** The rows of a chunk, in columns of these keys. */
export async function relationOf({ source, format, keys, phase, workDir, ahead }: ToRelate): Promise<Rows> {
  const path = join(workDir, 'flat.csv');
  const isThere = ahead !== undefined && fits(ahead.flat, keys) && (await tookLeft(ahead.path, path));
  const columns = keyColumns(source.maxColumns, keys);
  const flat = isThere ? ahead.flat : await flatten({ source, format, columns, seen: 0, target: path, phase });
  return csvRows(flatCsv(path, flat), { workDir, maxBytes: source.maxBytes, signal: source.signal });
}

const [OPEN, COMMA, CLOSE] = ['[', ',', ']'].map((mark) => Buffer.from(mark)) as [Buffer, Buffer, Buffer];

/** Writes records, as they stood in the file, as one JSON array. In one piece: each piece of a list is a write of its own. */
export const writeRecords = (records: readonly Buffer[], path: string): Promise<void> =>
  writeFile(
    path,
    Buffer.concat([OPEN, ...records.flatMap((record, place) => (place === 0 ? [record] : [COMMA, record])), CLOSE]),
  );
