// A Parquet file keeps its bytes and its schema; it is only proven to be whole and readable.
import { copyFile, open } from 'node:fs/promises';
import { asError, must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { type Engine, type EngineSettings, withEngine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column, ReadLimits } from '../reading/types.ts';
import { warn } from '../warnings.ts';
import { describeParquet } from './describe.ts';
import { copyPlain, writeExact } from './exact.ts';
import { inexactLeaves } from './inexact.ts';
import { numberedRows } from './numbered-rows.ts';
import { readThrough } from './read-through.ts';
import { type SchemaColumns, type TopColumn, topColumns } from './tops.ts';

const MAGIC = 'PAR1';

async function requireMagicAtBothEnds(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(8);
    await file.read(bytes, 0, 4, 0);
    await file.read(bytes, 4, 4, Math.max(0, size - 4));
    if (size < 12 || bytes.toString('latin1') !== MAGIC + MAGIC) {
      throw new Fault('PARSE_ERROR', `The Parquet file of ${size} bytes does not end as one: it is cut short.`, {
        extra: { byteOffset: size },
      });
    }
  } finally {
    await file.close();
  }
}

/** Names that DuckDB changes on reading, since it knows no difference of case: the reader of the table sees its names. */
const renamed = (tops: readonly TopColumn[], columns: readonly Column[]): Warning[] =>
  columns
    .filter(({ name }, place) => name !== tops[place]?.name)
    .map(({ name }) => warn('COLUMN_REPEATED', { column: name }));

/** Refuses a text that is larger than a cell may be. The file says how much a column takes in a row group: few have so much. */
async function requireSmallCells(engine: Engine, path: string, { columns, tops }: SchemaColumns, limit: number) {
  const large = await engine.rows(`SELECT DISTINCT column_id AS leaf FROM parquet_metadata(${literal(path)})
    WHERE total_uncompressed_size > ${limit} AND type = 'BYTE_ARRAY'`);
  const leaves = new Set<number | undefined>(large.map(({ leaf }) => Number(leaf)));
  for (const [place, { name, type }] of columns.entries()) {
    if (!leaves.has(tops[place]?.leaf) || !/^(VARCHAR|JSON|BLOB)$/.test(type)) continue;
    const column = identifier(name);
    const { from, number } = numberedRows(path, columns);
    const found = await engine.row(`SELECT min(${number}) AS "row" FROM ${from}
      WHERE ${type === 'BLOB' ? 'octet_length' : 'strlen'}(${column}) > ${limit}`);
    if (found['row'] === null) continue;
    const row = Number(found['row']) + 1;
    const detail = `Column ${JSON.stringify(name)}, row ${row}: its value takes more than ${limit} bytes.`;
    throw new Fault('CELL_TOO_LARGE', detail, { extra: { column: name, row, limit } });
  }
}

async function inspect(engine: Engine, path: string, { maxColumns, maxCellBytes }: ReadLimits) {
  const columns = await describeParquet(engine, path);
  if (columns.length > maxColumns)
    throw new Fault('TOO_MANY_COLUMNS', `There are ${columns.length} columns; the limit is ${maxColumns}.`);
  if (columns.some(({ name }) => name.includes('\0')))
    throw new Fault('PARSE_ERROR', 'The name of a column holds NUL, which no column can be called.');
  const tops = await topColumns(engine, path);
  await requireSmallCells(engine, path, { columns, tops }, maxCellBytes);
  const rowCount = await readThrough(engine, path, { columns, tops });
  return { columns, rowCount, warnings: renamed(tops, columns) };
}

/** What DuckDB says of a file, without the path that it was given. */
async function asParseErrors<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    const [sentence] = asError(thrown).message.split('\n');
    throw new Fault('PARSE_ERROR', `Parquet: ${must(sentence, 'a message').replaceAll(path, 'the file')}`, {
      cause: thrown,
    });
  }
}

/**
 * Copies the file unchanged to `target` where DuckDB reads its values as they are; what it would lose becomes text. Faults: PARSE_ERROR,
 * CELL_TOO_LARGE, TOO_MANY_COLUMNS, UNSUPPORTED_SCHEMA.
 */
export async function adoptParquet(settings: EngineSettings & { readonly path: string; readonly target: string }) {
  const { path, target, limits } = settings;
  await requireMagicAtBothEnds(path);
  return withEngine(settings, async (engine) => {
    const leaves = await asParseErrors(path, () => inexactLeaves(engine, path));
    const restore = leaves.leaves.size === 0 ? undefined : await copyPlain(path, target, leaves);
    const plain = restore === undefined ? path : target;
    const { lost, ...content } = await asParseErrors(plain, async () => {
      const inspected = await inspect(engine, plain, limits);
      return { ...inspected, lost: await writeExact(engine, { ...inspected, path: plain, leaves }, target) };
    });
    if (lost === undefined) await (restore ?? (() => copyFile(path, target)))();
    if (lost === undefined && restore === undefined) return content;
    const columns = await describeParquet(engine, target);
    return { ...content, columns, warnings: [...content.warnings, ...(lost ?? [])] };
  });
}
