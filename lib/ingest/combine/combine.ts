// New rows become part of a table that is there: appended, or put in the place of rows with the same key. Parts that stay as they are are
// named again; only those whose rows or types change are written anew.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import type { Warning } from '../../core/warning.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import { identifier, listOf, literal } from '../engine/sql.ts';
import { sameName } from '../reading/names.ts';
import type { Column, ReadLimits } from '../reading/types.ts';
import { combineColumns, columnsByName, type Side } from './columns.ts';
import { keysOf, requireKeys } from './keys.ts';

/** A Parquet part on the local disk. */
export interface LocalPart {
  readonly path: string;
  readonly rows: number;
}

interface TableHere {
  readonly columns: readonly Column[];
  /** In the order of the rows. */
  readonly parts: readonly LocalPart[];
}

export interface CombineRequest {
  /** What is published. */
  readonly before: TableHere;
  readonly added: TableHere;
  /** Columns that say which row is which; without them all rows are new ones. */
  readonly keys?: readonly string[] | undefined;
  /** An existing folder for this call alone. */
  readonly workDir: string;
  readonly limits: ReadLimits;
  readonly signal?: AbortSignal | undefined;
}

/** A part of the combined table: one of the given ones as it is, or a new file. */
export type CombinedPart =
  | { readonly kind: 'kept'; readonly of: 'before' | 'added'; readonly index: number }
  | { readonly kind: 'written'; readonly path: string; readonly bytes: number; readonly rows: number };

export interface CombinedTable {
  readonly columns: readonly Column[];
  readonly parts: readonly CombinedPart[];
  readonly rowCount: number;
  /** Rows of `before` that gave way to an added one. */
  readonly replaced: number;
  readonly warnings: readonly Warning[];
}

/** Faults: COLUMN_MISFIT, KEY_INVALID. */
export async function combineTables(request: CombineRequest): Promise<CombinedTable> {
  const { workDir, limits, signal, before, added } = request;
  return withEngine({ workDir, limits, signal }, async (engine) => {
    const [old, fresh] = [sideOf(before), sideOf(added)];
    const { columns, warnings } = await combineColumns(engine, old, fresh);
    const match = request.keys === undefined ? undefined : await matching(engine, old, fresh, request.keys);
    const writer = { engine, columns, workDir };
    const parts: CombinedPart[] = [];
    for (const [index, part] of before.parts.entries())
      parts.push(await partOf(writer, { part, index, of: 'before', has: before.columns, match }));
    for (const [index, part] of added.parts.entries())
      parts.push(await partOf(writer, { part, index, of: 'added', has: added.columns }));
    const rowsOf = (part: CombinedPart): number =>
      part.kind === 'written' ? part.rows : must(request[part.of].parts[part.index], 'a part').rows;
    const rowCount = parts.reduce((sum, part) => sum + rowsOf(part), 0);
    const given = [...before.parts, ...added.parts].reduce((sum, { rows }) => sum + rows, 0);
    return { columns, parts: parts.filter((part) => rowsOf(part) > 0), rowCount, replaced: given - rowCount, warnings };
  });
}

/** Parts as a FROM item, their rows in order. */
export const sourceOf = (parts: readonly Pick<LocalPart, 'path'>[]): string =>
  `read_parquet(${listOf(parts.map(({ path }) => path))}, hive_partitioning = false)`;

/** A table without parts has no rows. */
function sideOf({ columns, parts }: TableHere): Side {
  if (parts.length > 0) return { columns, source: sourceOf(parts) };
  const nothing = columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${identifier(name)}`);
  return { columns, source: `(SELECT ${nothing.join(', ')} WHERE false)` };
}

/** SQL that is true of a row `o` of the table whose key an added row has. */
async function matching(engine: Engine, old: Side, fresh: Side, keys: readonly string[]): Promise<string> {
  const added = keysOf(fresh, keys, 'the file');
  const before = keysOf(old, keys, 'the table');
  await requireKeys(engine, fresh, added, 'the file');
  const equal = before.map((name, index) => `o.${identifier(name)} = a.${identifier(added[index] ?? '')}`);
  return `EXISTS (FROM ${fresh.source} a WHERE ${equal.join(' AND ')})`;
}

interface Writer {
  readonly engine: Engine;
  readonly columns: readonly Column[];
  readonly workDir: string;
}
interface Given {
  readonly part: LocalPart;
  readonly index: number;
  readonly of: 'before' | 'added';
  readonly has: readonly Column[];
  /** Rows that it is true of are left out. */
  readonly match?: string | undefined;
}

async function partOf(writer: Writer, { part, index, of, has, match }: Given): Promise<CombinedPart> {
  const { engine, columns, workDir } = writer;
  const source = `${sourceOf([part])} o`;
  const gone =
    match === undefined ? 0 : Number((await engine.row(`SELECT count(*) AS n FROM ${source} WHERE ${match}`))['n']);
  if (gone === 0 && isSame(has, columns)) return { kind: 'kept', of, index };
  const path = join(workDir, `${of}-${index}.parquet`);
  const where = gone === 0 ? '' : ` WHERE NOT ${match}`;
  await engine.run(
    `COPY (SELECT ${columns.map((column) => cell(column, has)).join(', ')} FROM ${source}${where}) TO ${literal(path)} (FORMAT parquet, COMPRESSION snappy)`,
  );
  return { kind: 'written', path, bytes: (await stat(path)).size, rows: part.rows - gone };
}

export const isSame = (has: readonly Column[], wanted: readonly Column[]): boolean =>
  has.length === wanted.length &&
  has.every(({ name, type }, index) => wanted[index]?.name === name && wanted[index].type === type);

/** A column of the whole in SQL, from rows `o` that have these columns. */
export function cell({ name, type }: Column, has: readonly Column[]): string {
  const own = columnsByName(has).get(sameName(name));
  const value = own === undefined ? 'NULL' : `o.${identifier(own.name)}`;
  return `CAST(${value} AS ${type}) AS ${identifier(name)}`;
}
