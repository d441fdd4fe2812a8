// A Parquet file keeps its bytes and its schema; it is only proven to be whole and readable.
import { copyFile } from 'node:fs/promises';
import { asError, must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { linkOrCopy } from '../../core/link-or-copy.ts';
import type { Warning } from '../../core/warning.ts';
import { type Engine, type EngineSettings, withEngine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column, ReadLimits } from '../reading/types.ts';
import { warn } from '../warnings.ts';
import { describeParquet } from './describe.ts';
import { type Bring, bringPlain, writeTexts } from './exact.ts';
import { inexactLeaves } from './inexact.ts';
import { type Affected, affectedColumns, findLosses, lossWarning, type Plain } from './losses.ts';
import { numberedRows } from './numbered-rows.ts';
import { readThrough } from './read-through.ts';
import { encrypted, hasEncryptedColumns, requireMagicAtBothEnds } from './require-parquet.ts';
import { type SchemaColumns, type TopColumn, topColumns } from './tops.ts';

/** Names that DuckDB changes on reading, since it knows no difference of case: the reader of the table sees its names. */
const renamed = (tops: readonly TopColumn[], columns: readonly Column[]): Warning[] =>
  columns
    .filter(({ name }, place) => name !== tops[place]?.name)
    .map(({ name }) => warn('COLUMN_REPEATED', { column: name }));

interface Limits extends ReadLimits {
  /** In the table, before the file's own. */
  readonly rowsBefore: number;
}

/** Refuses a text that is larger than a cell may be. The file says how much a column takes in a row group: few have so much. */
async function requireSmallCells(
  engine: Engine,
  path: string,
  { columns, tops }: SchemaColumns,
  { maxCellBytes: limit, rowsBefore }: Limits,
) {
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
    const row = rowsBefore + Number(found['row']) + 1;
    const detail = `Column ${JSON.stringify(name)}, row ${row}: its value takes more than ${limit} bytes.`;
    throw new Fault('CELL_TOO_LARGE', detail, { extra: { column: name, row, limit } });
  }
}

async function inspect(engine: Engine, path: string, limits: Limits) {
  const { maxColumns } = limits;
  const columns = await describeParquet(engine, path);
  if (columns.length > maxColumns)
    throw new Fault('TOO_MANY_COLUMNS', `There are ${columns.length} columns; the limit is ${maxColumns}.`);
  if (columns.some(({ name }) => name.includes('\0')))
    throw new Fault('PARSE_ERROR', 'The name of a column holds NUL, which no column can be called.');
  const tops = await topColumns(engine, path);
  await requireSmallCells(engine, path, { columns, tops }, limits);
  const rowCount = await readThrough(engine, path, { columns, tops });
  return { columns, rowCount, warnings: renamed(tops, columns) };
}

/** What DuckDB says of a file, without the path that it was given. */
async function asParseErrors<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    if (await hasEncryptedColumns(path)) throw encrypted();
    const [sentence] = asError(thrown).message.split('\n');
    throw new Fault('PARSE_ERROR', `Parquet: ${must(sentence, 'a message').replaceAll(path, 'the file')}`, {
      cause: thrown,
    });
  }
}

interface Taking extends EngineSettings {
  readonly path: string;
  readonly target: string;
  readonly bring: Bring;
  /** For what is written to afterwards. */
  readonly bringToChange: Bring;
  readonly rowsBefore: number;
}

interface Decided<T> {
  /** The places of the columns that become text; undefined where nothing is to be written. */
  readonly asText: ReadonlySet<number> | undefined;
  readonly said: T;
}

type Decide<T> = (engine: Engine, plain: Plain, affected: readonly (Affected | undefined)[]) => Promise<Decided<T>>;

/** Proves a file and brings it to `target`, written anew where columns become text. */
async function take<T>({ path, target, bring, bringToChange, rowsBefore, ...settings }: Taking, decide: Decide<T>) {
  await requireMagicAtBothEnds(path);
  return withEngine(settings, async (engine) => {
    const leaves = await asParseErrors(path, () => inexactLeaves(engine, path));
    const restore =
      leaves.leaves.size === 0 ? undefined : await bringPlain({ path, target, bring: bringToChange }, leaves);
    const plain = restore === undefined ? path : target;
    const { asText, ...content } = await asParseErrors(plain, async () => {
      const inspected = await inspect(engine, plain, { ...settings.limits, rowsBefore });
      const read = { ...inspected, path: plain, leaves };
      const affected = await affectedColumns(engine, read);
      const decided = await decide(engine, read, affected);
      const texts = { affected, asText: decided.asText ?? new Set<number>() };
      if (texts.asText.size > 0) await writeTexts(engine, read, texts, target);
      return { ...inspected, ...decided };
    });
    if (asText?.size === 0) await (restore ?? (() => bring(path, target)))();
    if (asText === undefined || (asText.size === 0 && restore === undefined)) return content;
    return { ...content, columns: await describeParquet(engine, target) };
  });
}

type Adopting = Pick<Taking, 'path' | 'target' | 'workDir' | 'limits' | 'signal'>;

/**
 * Gives the file the name `target` as well where DuckDB reads its values as they are; what it would lose becomes text. Faults: PARSE_ERROR,
 * CELL_TOO_LARGE, TOO_MANY_COLUMNS, UNSUPPORTED_SCHEMA.
 */
export async function adoptParquet(settings: Adopting) {
  // The file may be another name of an object, which does not change.
  const taking = { ...settings, bring: linkOrCopy, bringToChange: copyFile, rowsBefore: 0 };
  const { columns, rowCount, warnings, said } = await take(taking, async (engine, plain, affected) => {
    const losses = await findLosses(engine, plain, affected);
    const warned = affected.map((column, place) => column && lossWarning(column, losses[place]));
    const asText = new Set(warned.flatMap((warning, place) => (warning === undefined ? [] : [place])));
    return { asText, said: warned.filter((warning) => warning !== undefined) };
  });
  return { columns, rowCount, warnings: [...warnings, ...said] };
}
