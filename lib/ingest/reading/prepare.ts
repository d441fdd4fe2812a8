// The structure of one table of text, or of a workbook: rows of text on disk that are still to be typed.
import type { Warning } from '../../core/warning.ts';
import { badRecords } from '../csv/choose.ts';
import { prepareCsv } from '../csv/read-csv.ts';
import { plainText } from '../formats/plain.ts';
import { prepareJson } from '../json/read-json.ts';
import type { TextTable } from '../typing/relation.ts';
import type { TypedTable } from '../typing/type-table.ts';
import type { KeyWithin, ReadRequest, TextFormat, Within } from './types.ts';

export interface Prepared {
  readonly table: TextTable;
  /** What reading and typing have to say. */
  readonly warnings: (typed: TypedTable) => readonly Warning[];
}

const keyed = (within: Within | undefined): KeyWithin | undefined =>
  within !== undefined && 'key' in within ? within : undefined;

/** `path`: the file itself, not compressed. What the table is read from stays in `workDir`. */
export async function prepareText(request: ReadRequest, path: string, format: TextFormat): Promise<Prepared> {
  const { workDir, limits, signal } = request;
  const text = await plainText(path, workDir, { signal, encoding: request.options?.encoding });
  const { maxRecordBytes, maxCellBytes, maxColumns, maxDecompressedBytes: maxBytes } = limits;
  const { start, end } = keyed(request.within) ?? { start: text.start, end: text.size };
  const read = {
    maxRecordBytes,
    maxCellBytes,
    maxColumns,
    maxBytes,
    signal,
    onBadRecord: badRecords(request.options ?? {}),
  };
  const source = { path: text.path, start, end, size: text.size, ...read };
  const { table, warnings } =
    format === 'csv' || format === 'tsv'
      ? await prepareCsv(source, format, workDir, request.options)
      : await prepareJson(source, format, workDir, request.options);
  return { table, warnings: (typed) => [...text.warnings, ...warnings, ...typed.warnings] };
}
