// Which columns the published rows and the new ones have together, and under which types both are kept.
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import { sameName } from '../reading/names.ts';
import type { Column } from '../reading/types.ts';
import { warn } from '../warnings.ts';
import { commonTypes } from './common-type.ts';
import type { Side } from './side.ts';

export interface Combined {
  /** Those of the table in their order, then those that only the new rows have. */
  readonly columns: readonly Column[];
  readonly warnings: readonly Warning[];
}

export const columnsByName = (columns: readonly Column[]): ReadonlyMap<string, Column> =>
  new Map(columns.map((column) => [sameName(column.name), column]));

/** Throws the Fault COLUMN_MISFIT where no type keeps the values of both. Reads the values of columns only whose types differ. */
export async function combineColumns(engine: Engine, before: Side, added: Side): Promise<Combined> {
  const news = columnsByName(added.columns);
  const olds = columnsByName(before.columns);
  const types = await commonTypesOf(engine, before, added);
  const columns: Column[] = [];
  const warnings: Warning[] = [];
  for (const old of before.columns) {
    if (!news.has(sameName(old.name))) {
      warnings.push(warn('COLUMN_MISSING', { column: old.name }));
      columns.push(old);
      continue;
    }
    const type = types.get(old.name) ?? old.type;
    if (type !== old.type)
      warnings.push(warn('COLUMN_WIDENED', { column: old.name, detail: `${old.type} → ${type}.` }));
    columns.push({ name: old.name, type });
  }
  const only = added.columns.filter(({ name }) => !olds.has(sameName(name)));
  return { columns: [...columns, ...only], warnings };
}

interface Pair {
  readonly before: Column;
  readonly added: Column;
}

/** By the table's name of the column, where the types differ. */
async function commonTypesOf(engine: Engine, before: Side, added: Side): Promise<ReadonlyMap<string, string>> {
  const news = columnsByName(added.columns);
  const pairs = before.columns.flatMap((column): Pair[] => {
    const other = news.get(sameName(column.name));
    return other === undefined || other.type === column.type ? [] : [{ before: column, added: other }];
  });
  if (pairs.length === 0) return new Map();
  const candidates = pairs.map((pair) => commonTypes(pair.before.type, pair.added.type));
  const asked = (side: keyof Pair) => pairs.map((pair, at) => ({ column: pair[side], types: candidates[at] ?? [] }));
  const come = await seenIn(engine, added, asked('added'), 'types added');
  const there = await seenIn(engine, before, asked('before'), 'types before');
  return new Map(pairs.map((pair, at) => [pair.before.name, typeOf(pair, candidates[at] ?? [], there[at], come[at])]));
}

function typeOf(
  { before, added }: Pair,
  candidates: readonly string[],
  there: Seen = nothing,
  come: Seen = nothing,
): string {
  if (come.empty) return before.type;
  if (there.empty) return added.type;
  const type = candidates.find((each) => !there.lost.includes(each) && !come.lost.includes(each));
  if (type !== undefined) return type;
  const detail = `The column ${JSON.stringify(before.name)} of the table is ${before.type}; the new rows have ${added.type} in it.`;
  throw new Fault('COLUMN_MISFIT', detail, {
    extra: { column: before.name, type: before.type, added: added.type },
  });
}

/** What the values of a column say. */
interface Seen {
  readonly empty: boolean;
  /** Types that do not keep them. */
  readonly lost: readonly string[];
}

const nothing: Seen = { empty: true, lost: [] };

interface Asked {
  readonly column: Column;
  readonly types: readonly string[];
}

/** Of each column that is asked about, over all rows of a side, which are read once. */
async function seenIn(engine: Engine, { each }: Side, asked: readonly Asked[], name: string): Promise<Seen[]> {
  const ask = async (source: string): Promise<Seen[]> => {
    const seen: Seen[] = [];
    for (const one of asked) seen.push(await seenOf(engine, source, one));
    return seen;
  };
  const somes = await each(ask, name);
  return asked.map((_, at) =>
    somes.reduce<Seen>((all, some) => {
      const { empty, lost } = some[at] ?? nothing;
      return { empty: all.empty && empty, lost: [...all.lost, ...lost] };
    }, nothing),
  );
}

async function seenOf(engine: Engine, source: string, { column, types }: Asked): Promise<Seen> {
  if (await isEmpty(engine, { source, column })) return nothing;
  const lost: string[] = [];
  for (const type of types) if (!(await keeps(engine, { source, column }, type))) lost.push(type);
  return { empty: false, lost };
}

/** A column of a FROM item. */
export interface One {
  readonly source: string;
  readonly column: Column;
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
