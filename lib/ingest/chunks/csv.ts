// A chunk of a large CSV, given to DuckDB in both passes.
import { join } from 'node:path';
import { losesMark, writeRows } from '../csv/canonical.ts';
import { findBad } from '../csv/bad-records.ts';
import { linesOfRows } from '../csv/lines.ts';
import { csvRows } from '../csv/slices.ts';
import type { CsvSource } from '../csv/survey.ts';
import { freshTally } from '../csv/tally.ts';
import type { Rows } from '../typing/relation.ts';
import type { CsvChunk, CsvLayout } from './plan.ts';

type Again = Omit<ToRelate, 'columns' | 'workDir'>;

/** The chunk, to be read again. */
function stretchOf({ source, layout, chunk }: Again) {
  const { above, headerPending } = chunk;
  const known = headerPending ? {} : { header: [], width: layout.width };
  const tally = { ...freshTally(headerPending ? 1 : 0), above, hasHeader: headerPending, ...known };
  return { source, dialect: layout.dialect, tally };
}

/** The lines of a chunk on which some of its rows begin. */
export const linesOf = (again: Again, rows: readonly number[]) => linesOfRows(stretchOf(again), rows);

/** The records of a chunk that are left out. */
export const badIn = (again: Again) => findBad(stretchOf(again));

interface ToRelate {
  readonly source: CsvSource;
  readonly layout: CsvLayout;
  readonly chunk: CsvChunk;
  /** Of the rows. */
  readonly columns: number;
  readonly workDir: string;
}

/** The rows of a chunk, over the chunk itself where DuckDB reads it the same way, else over a canonical copy. */
export async function relationOf({ source, layout, chunk, columns, workDir }: ToRelate): Promise<Rows> {
  const { longestRecord, newline } = chunk;
  const quotedNewlines = chunk.quotedNewlines ? 'quoted newlines' : 'lines';
  const { dialect, nullWords, width } = layout;
  const shape = { delimiter: dialect.delimiter, columns, longestRecord, quotedNewlines, nullWords } as const;
  const header = chunk.hasHeader ? 'header' : 'no header';
  const asItIs = chunk.regular && chunk.columns === columns && (chunk.hasHeader || !(await losesMark(source)));
  const slicing = { workDir, maxBytes: source.maxBytes, signal: source.signal };
  if (asItIs) return csvRows({ ...shape, path: source.path, header, newline }, slicing);
  const path = join(workDir, 'canonical.csv');
  const { above, headerPending } = chunk;
  const rewrite = { dialect, columns, blankIsRow: width === 1, above, headerPending };
  await writeRows(source, rewrite, path);
  return csvRows({ ...shape, path, header: 'no header', newline: 'lf' }, slicing);
}
