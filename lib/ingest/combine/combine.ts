// New rows become part of a table that is there: appended, or put in the place of rows with the same key. Parts that stay as they are are
// named again; only those whose rows or types change are fetched and written anew, each of them stored before the next is written.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Warning } from '../../core/warning.ts';
import { type Engine, withEngine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import { sameName } from '../reading/names.ts';
import type { Column, ReadLimits } from '../reading/types.ts';
import { columnsByName, combineColumns } from './columns.ts';
import { type Match, matchKeys, NOT_GONE, WITH_VERDICTS } from './keys.ts';
import { type Keep, type LocalPart, type Part, sideOf, type SomeAtATime, sourceOf, type StoredTable } from './side.ts';

/** A file that takes the place of a part. */
export interface Written {
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
  /** The part. */
  readonly of: Part;
}

export interface CombineRequest {
  /** What is published. */
  readonly before: StoredTable;
  readonly added: StoredTable;
  /** Columns that say which row is which; without them all rows are new ones. */
  readonly keys?: readonly string[] | undefined;
  readonly someAtATime: SomeAtATime;
  /** Takes a part that was written over into the store: its file is gone. */
  readonly put: (written: Written) => Promise<Part>;
  readonly keep: Keep;
  /** An existing folder for this call alone. */
  readonly workDir: string;
  readonly limits: ReadLimits;
  readonly signal?: AbortSignal | undefined;
}

export interface CombinedTable {
  readonly columns: readonly Column[];
  /** Given ones, and new ones. */
  readonly parts: readonly Part[];
  readonly rowCount: number;
  /** Rows of `before` that gave way to an added one. */
  readonly replaced: number;
  readonly warnings: readonly Warning[];
}

/** Faults: COLUMN_MISFIT, KEY_INVALID, and those of `someAtATime`. */
export async function combineTables(request: CombineRequest): Promise<CombinedTable> {
  const { workDir, limits, signal, before, added, keys, someAtATime, keep } = request;
  return withEngine({ workDir, limits, signal }, async (engine) => {
    const [old, fresh] = [sideOf(before, someAtATime), sideOf(added, someAtATime)];
    const { columns, warnings } = await combineColumns(engine, old, fresh);
    const match = keys && (await matchKeys(engine, { before: old, added: fresh, keep }, keys));
    const writer = { ...request, engine, columns };
    const parts = [
      ...(await partsOf(writer, { ...before, name: 'rows before' }, match)),
      ...(await partsOf(writer, { ...added, name: 'rows added' })),
    ].filter(({ rows }) => rows > 0);
    const rowCount = rowsIn(parts);
    return { columns, parts, rowCount, replaced: rowsIn([...before.parts, ...added.parts]) - rowCount, warnings };
  });
}

const rowsIn = (parts: readonly Part[]): number => parts.reduce((sum, { rows }) => sum + rows, 0);

interface Writer extends Pick<CombineRequest, 'someAtATime' | 'put' | 'workDir'> {
  readonly engine: Engine;
  readonly columns: readonly Column[];
}

/** The parts of one side in the combined table; those that are not asked about are not fetched. */
async function partsOf(
  writer: Writer,
  { columns, parts, name }: StoredTable & { readonly name: string },
  match?: Match,
): Promise<readonly Part[]> {
  if (match === undefined && isSame(columns, writer.columns)) return parts;
  const written = async (some: readonly LocalPart[]): Promise<Part[]> => {
    const each: Part[] = [];
    for (const part of some) each.push(...(await partOf(writer, part, columns, match)));
    return each;
  };
  const found = await writer.someAtATime(parts, written, name);
  return found.flat();
}

async function partOf(
  { engine, columns, put, workDir }: Writer,
  { path: from, ...part }: LocalPart,
  has: readonly Column[],
  match: Match | undefined,
): Promise<Part[]> {
  const gone = (await match?.goneIn({ ...part, path: from })) ?? 0;
  if (gone === part.rows) return [];
  if (gone === 0 && isSame(has, columns)) return [part];
  const path = join(workDir, 'combined.parquet');
  const source = `${sourceOf([{ path: from }])} o${gone === 0 ? '' : ` ${WITH_VERDICTS} WHERE ${NOT_GONE}`}`;
  await engine.run(
    `COPY (SELECT ${columns.map((column) => cell(column, has)).join(', ')} FROM ${source}) TO ${literal(path)} (FORMAT parquet, COMPRESSION snappy)`,
  );
  return [await put({ path, bytes: (await stat(path)).size, rows: part.rows - gone, of: part })];
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
