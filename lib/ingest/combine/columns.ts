// Which columns the published rows and the new ones have together, and under which types both are kept.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import { sameName } from '../reading/names.ts';
import type { Column } from '../reading/types.ts';
import { warn } from '../warnings.ts';
import { commonTypes } from './common-type.ts';

/** One side of a combination: a FROM item, and the columns that it has. */
export interface Side {
  readonly source: string;
  readonly columns: readonly Column[];
}

export interface Combined {
  /** Those of the table in their order, then those that only the new rows have. */
  readonly columns: readonly Column[];
  readonly warnings: readonly Warning[];
}

export const columnsByName = (columns: readonly Column[]): ReadonlyMap<string, Column> =>
  new Map(columns.map((column) => [sameName(column.name), column]));

/** Throws the Fault COLUMN_MISFIT where no type keeps the values of both. */
export async function combineColumns(engine: Engine, before: Side, added: Side): Promise<Combined> {
  const news = columnsByName(added.columns);
  const olds = columnsByName(before.columns);
  const columns: Column[] = [];
  const warnings: Warning[] = [];
  for (const old of before.columns) {
    const column = news.get(sameName(old.name));
    if (column === undefined) {
      warnings.push(warn('COLUMN_MISSING', { column: old.name }));
      columns.push(old);
      continue;
    }
    const type = await commonType(engine, { ...before, column: old }, { ...added, column });
    if (type !== old.type)
      warnings.push(warn('COLUMN_WIDENED', { column: old.name, detail: `${old.type} → ${type}.` }));
    columns.push({ name: old.name, type });
  }
  const only = added.columns.filter(({ name }) => !olds.has(sameName(name)));
  return { columns: [...columns, ...only], warnings };
}

export type One = Side & { readonly column: Column };

async function commonType(engine: Engine, before: One, added: One): Promise<string> {
  if (before.column.type === added.column.type) return before.column.type;
  if (await isEmpty(engine, added)) return before.column.type;
  if (await isEmpty(engine, before)) return added.column.type;
  for (const type of commonTypes(before.column.type, added.column.type))
    if ((await keeps(engine, before, type)) && (await keeps(engine, added, type))) return type;
  const { name, type } = before.column;
  const detail = `The column ${JSON.stringify(name)} of the table is ${type}; the new rows have ${added.column.type} in it.`;
  throw new Fault('COLUMN_MISFIT', detail, { extra: { column: name, type, added: added.column.type } });
}

export async function isEmpty(engine: Engine, { source, column }: One): Promise<boolean> {
  const { present } = await engine.row(`SELECT count(${identifier(column.name)}) AS present FROM ${source}`);
  return Number(present) === 0;
}

/** Whether every value comes back as it was, and as the zero that it was. */
export async function keeps(engine: Engine, { source, column }: One, type: string): Promise<boolean> {
  if (column.type === type) return true;
  const value = identifier(column.name);
  const there = `TRY_CAST(${value} AS ${type})`;
  const back = `CAST(${there} AS ${column.type})`;
  const { lost } = await engine.row(
    `SELECT count(*) FILTER (${value} IS NOT NULL AND (${there} IS NULL OR ${back} IS DISTINCT FROM ${value})) AS lost FROM ${source}`,
  );
  return Number(lost) === 0;
}
