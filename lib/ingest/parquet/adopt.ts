// A Parquet file keeps its bytes and its schema; it is only proven to be whole and readable.
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asError, must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import { linkOrCopy } from '../../core/link-or-copy.ts';
import type { Warning } from '../../core/warning.ts';
import { type Engine, type EngineSettings, withEngine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column, ReadLimits } from '../reading/types.ts';
import { warn } from '../warnings.ts';
import { describeParquet } from './describe.ts';
import { hasNamelessField } from './each-leaf.ts';
import { type Bring, bringPlain, writeTexts } from './exact.ts';
import { type InexactLeaves, inexactLeaves } from './inexact.ts';
import type { Loss } from './loss.ts';
import { type Affected, affectedColumns, findLosses, lossWarning, type Plain } from './losses.ts';
import { numberedRows } from './numbered-rows.ts';
import { readThrough } from './read-through.ts';
import { writeSmallPages } from './pages/small-pages.ts';
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

/** Without names, or with NUL in them, fields of a struct could not be told apart in an answer. */
async function requireNames(engine: Engine, path: string, columns: readonly Column[]): Promise<void> {
  if (columns.some(({ name }) => name.includes('\0')))
    throw new Fault('PARSE_ERROR', 'The name of a column holds NUL, which no column can be called.');
  const types = await engine.types(`FROM read_parquet(${literal(path)})`);
  for (const [place, { name, type }] of columns.entries()) {
    const why = type.includes('\0') ? 'whose name holds NUL' : 'without a name';
    if (type.includes('\0') || hasNamelessField(must(types[place], 'a type')))
      throw new Fault('UNSUPPORTED_SCHEMA', `Parquet: the column ${JSON.stringify(name)} has a field ${why}.`);
  }
}

async function inspect(engine: Engine, path: string, limits: Limits) {
  const { maxColumns } = limits;
  const columns = await describeParquet(engine, path);
  if (columns.length > maxColumns)
    throw new Fault('TOO_MANY_COLUMNS', `There are ${columns.length} columns; the limit is ${maxColumns}.`);
  await requireNames(engine, path, columns);
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

interface Opening extends EngineSettings {
  readonly path: string;
  readonly target: string;
  readonly bring: Bring;
  /** For what is written to afterwards. */
  readonly bringToChange: Bring;
}

interface Opened {
  readonly engine: Engine;
  readonly leaves: InexactLeaves;
  /** Where DuckDB reads what is stored: `target`, if that takes another footer. */
  readonly plain: string;
  /** Gives `target` its own footer again. */
  readonly restore: (() => Promise<void>) | undefined;
}

type Settings = Omit<Opening, 'bring'>;

async function withPlain<T>(
  { path, target, bringToChange: bring, ...settings }: Settings,
  use: (opened: Opened) => Promise<T>,
) {
  await requireMagicAtBothEnds(path);
  return withEngine(settings, async (engine) => {
    const leaves = await asParseErrors(path, () => inexactLeaves(engine, path));
    // The file at `target` changes: DuckDB would take it for the same where its size is.
    if (leaves.leaves.size > 0) await engine.run('SET enable_external_file_cache = false');
    const restore = leaves.leaves.size === 0 ? undefined : await bringPlain({ path, target, bring }, leaves);
    return use({ engine, leaves, plain: restore === undefined ? path : target, restore });
  });
}

interface Decided<T> {
  /** The places of the columns that become text; undefined where nothing is to be written. */
  readonly asText: ReadonlySet<number> | undefined;
  readonly said: T;
}

type Decide<T> = (engine: Engine, plain: Plain, affected: readonly (Affected | undefined)[]) => Promise<Decided<T>>;

/** Proves a file and brings it to `target`, written anew where columns become text. */
const take = <T>(taking: Opening & Pick<Limits, 'rowsBefore'>, decide: Decide<T>) =>
  withPlain(taking, async ({ engine, leaves, plain, restore }) => {
    const { path, target, bring, limits, rowsBefore } = taking;
    const { asText, ...content } = await asParseErrors(plain, async () => {
      const inspected = await inspect(engine, plain, { ...limits, rowsBefore });
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

type Adopting = Omit<Settings, 'bringToChange'>;

interface From {
  readonly path: string;
  readonly bring: Bring;
  readonly bringToChange: Bring;
}

/** The file may be another name of an object, which does not change. */
const shared = { bring: linkOrCopy, bringToChange: copyFile };
const ours = { bring: rename, bringToChange: rename };

/** Leads `use` to the file with small pages where its own are too large together. */
async function withSmallPages<T>(
  { path, workDir, limits, signal }: Adopting,
  how: typeof shared,
  use: (from: From) => Promise<T>,
): Promise<T> {
  await requireMagicAtBothEnds(path);
  const target = join(workDir, 'small-pages.parquet');
  if (!(await writeSmallPages({ path, target, limits, signal }))) return use({ path, ...how });
  try {
    // Both may be as large as the disk lets one be.
    if (how === ours) await rm(path);
    return await use({ path: target, ...ours });
  } finally {
    await rm(target, { force: true });
  }
}

/**
 * Gives the file the name `target` as well where DuckDB reads its values as they are; what it would lose becomes text. Faults: PARSE_ERROR,
 * CELL_TOO_LARGE, TOO_MANY_COLUMNS, UNSUPPORTED_SCHEMA.
 */
export async function adoptParquet(settings: Adopting) {
  const { columns, rowCount, warnings, said } = await withSmallPages(settings, shared, (from) =>
    take({ ...settings, ...from, rowsBefore: 0 }, async (engine, plain, affected) => {
      const losses = await findLosses(engine, plain, affected);
      const warned = affected.map((column, place) => column && lossWarning(column, losses[place]));
      const asText = new Set(warned.flatMap((warning, place) => (warning === undefined ? [] : [place])));
      return { asText, said: warned.filter((warning) => warning !== undefined) };
    }),
  );
  return { columns, rowCount, warnings: [...warnings, ...said] };
}

/** Of a file without rows: what it says of those that another has of its schema. `asText`: the places of columns that are text whatever they hold. */
export async function adoptSchema(settings: Adopting) {
  const taking = { ...settings, ...shared, rowsBefore: 0 };
  const { columns, warnings, said } = await take(taking, async (_engine, { leaves }, affected) => {
    const asText = new Set(affected.flatMap((column, place) => (column?.hasDecimals === true ? [place] : [])));
    return { asText, said: { asText: [...asText], leafCount: leaves.count } };
  });
  return { columns, warnings, ...said };
}

/** Some rows of a table that is in several files. */
interface SomeRows extends Adopting {
  readonly rowsBefore: number;
}

interface SomeRowsAs extends SomeRows {
  /** The places of the columns that are text in all files. */
  readonly asText: ReadonlySet<number>;
  /** It is known that no other column loses anything. */
  readonly isProven: boolean;
}

export type Adopted =
  | { readonly kind: 'adopted'; readonly columns: readonly Column[]; readonly rowCount: number }
  /** The place of a column that would lose something. */
  | { readonly kind: 'contradicted'; readonly column: number };

/** As `adoptParquet`, with columns as text that are so in all files of the table. The file at `path` is gone afterwards. */
export async function adoptSome({ asText, isProven, ...settings }: SomeRowsAs): Promise<Adopted> {
  const { columns, rowCount, said } = await withSmallPages(settings, ours, (from) =>
    take({ ...settings, ...from }, async (engine, plain, affected) => {
      const losses = isProven ? [] : await findLosses(engine, plain, affected);
      const lost = losses.findIndex((loss, place) => loss !== undefined && !asText.has(place));
      return lost < 0 ? { asText, said: undefined } : { asText: undefined, said: lost };
    }),
  );
  return said === undefined ? { kind: 'adopted', columns, rowCount } : { kind: 'contradicted', column: said };
}

/** What DuckDB would lose of each column of some rows, by its place; rows are those of the table. The file at `path` is gone afterwards. */
export const lossesIn = ({ rowsBefore, ...settings }: SomeRows): Promise<(Loss | undefined)[]> =>
  withSmallPages(settings, ours, (from) =>
    withPlain({ ...settings, ...from }, ({ engine, leaves, plain: path }) =>
      asParseErrors(path, async () => {
        const plain = { path, leaves, columns: await describeParquet(engine, path) };
        const losses = await findLosses(engine, plain, await affectedColumns(engine, plain));
        return losses.map((loss) => loss && { ...loss, row: loss.row + rowsBefore });
      }),
    ),
  );
