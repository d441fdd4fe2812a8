// The rows of one chunk, once the whole text is known: as a FROM item in the columns of the table, and the lines on which they begin.
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { Rows, TextTable } from '../typing/relation.ts';
import type { Reject } from '../rejects/reject.ts';
import { findBad } from '../json/bad-lines.ts';
import { linesOfRecords } from '../json/lines.ts';
import * as csv from './csv.ts';
import * as json from './json.ts';
import { type InTable, rowsInTable } from '../union/in-table.ts';
import { type Plain, rowsName } from './plain.ts';
import type { Chunk, FilePlan, TablePlan } from './plan.ts';

/** How the text is read, and in how many columns. */
export interface Layout
  extends Pick<TablePlan, 'csv' | 'json' | 'columns' | 'emptyIsNull' | 'dateOrder' | 'onBadRecord'> {
  /** Where its rows are those of a table of several files. */
  readonly file?: (InTable & Pick<FilePlan, 'name' | 'rowsBefore'>) | undefined;
}

/** A text as it is planned, or several. */
export type Texts = Omit<Layout, 'file'> & Pick<TablePlan, 'plain' | 'files' | 'namesFile'>;

/** The text that a chunk is of, and how it is read. */
export function textOf(texts: Texts, { file: place }: Chunk): { readonly plain: Plain; readonly layout: Layout } {
  if (place === undefined) return { plain: texts.plain, layout: texts };
  const { plain, csv: ofCsv, json: ofJson, name, places, rowsBefore } = must(texts.files?.[place], 'a file');
  const { columns, emptyIsNull, dateOrder, onBadRecord, namesFile = false } = texts;
  const count = columns.length - (namesFile ? 1 : 0);
  const file = { name, places, rowsBefore, count, ...(namesFile && { file: name }) };
  return { plain, layout: { csv: ofCsv, json: ofJson, columns, emptyIsNull, dateOrder, onBadRecord, file } };
}

interface Local {
  readonly layout: Layout;
  readonly chunk: Chunk;
  /** The bytes of the chunk. */
  readonly path: string;
  /** Where the survey left what it wrote of the chunk, if it did so here. */
  readonly left?: string | undefined;
  /** What has to be written anew stands here. */
  readonly workDir: string;
  readonly limits: ReadLimits;
  readonly signal: AbortSignal;
}

export interface ChunkRows {
  readonly all: Rows;
  readonly linesOf: NonNullable<TextTable['linesOf']>;
  /** The records that are left out. */
  readonly findBad: () => Promise<Reject[]>;
}

/** Of a table of several files, in the columns of all. */
export async function rowsOfChunk(local: Local): Promise<ChunkRows> {
  const { file } = local.layout;
  const { all, findBad: find, ...rest } = await ownRows(local);
  if (file === undefined) return { ...rest, all, findBad: find };
  const named = async () => (await find()).map((each) => ({ ...each, file: file.name }));
  return { ...rest, all: rowsInTable(all, file), findBad: named };
}

async function ownRows({ layout, chunk, path, left, workDir, limits, signal }: Local): Promise<ChunkRows> {
  const { maxRecordBytes, maxCellBytes, maxColumns, maxDecompressedBytes: maxBytes } = limits;
  const records = chunk.rowsBefore - (layout.file?.rowsBefore ?? 0);
  const base = { offset: chunk.start, lines: chunk.linesBefore, records };
  const size = chunk.end - chunk.start;
  const { onBadRecord } = layout;
  const source = {
    path,
    start: 0,
    size,
    maxRecordBytes,
    maxCellBytes,
    maxColumns,
    maxBytes,
    signal,
    base,
    onBadRecord,
  };
  const columns = layout.file?.places.length ?? layout.columns.length;
  if (layout.csv !== undefined && chunk.csv !== undefined) {
    const of = { source, layout: layout.csv, chunk: chunk.csv };
    const all = await csv.relationOf({ ...of, columns, workDir });
    return { all, linesOf: (rows) => csv.linesOf(of, rows), findBad: () => csv.badIn(of) };
  }
  const { format, keys } = must(layout.json, 'a layout');
  // What is awaited behind its last record stands in the next chunk; a line that may be left out is looked at with its end.
  const phase = must(chunk.phase, 'a phase');
  const open = { ...source, goesOn: onBadRecord === undefined };
  const { flat } = chunk;
  const ahead = left === undefined || flat === undefined ? undefined : { flat, path: join(left, rowsName(chunk)) };
  return {
    all: await json.relationOf({ source: open, format, keys, phase, workDir, ahead }),
    linesOf: (rows) => linesOfRecords(open, format, rows, phase),
    findBad: () => findBad(open),
  };
}
