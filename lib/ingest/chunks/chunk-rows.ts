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
import { rowsName } from './plain.ts';
import type { Chunk, TablePlan } from './plan.ts';

/** How the text is read, and in how many columns. */
export type Layout = Pick<TablePlan, 'csv' | 'json' | 'columns' | 'emptyIsNull' | 'dateOrder' | 'onBadRecord'>;

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

export async function rowsOfChunk({ layout, chunk, path, left, workDir, limits, signal }: Local): Promise<ChunkRows> {
  const { maxRecordBytes, maxCellBytes, maxColumns, maxDecompressedBytes: maxBytes } = limits;
  const base = { offset: chunk.start, lines: chunk.linesBefore, records: chunk.rowsBefore };
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
  const columns = layout.columns.length;
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
