// Tables that have types, as one: columns by name, under types that keep the values of all. A part that is as the whole is stays as it is.
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { cell, isSame } from '../combine/combine.ts';
import { isEmpty, keeps, type One } from '../combine/columns.ts';
import { commonTypes } from '../combine/common-type.ts';
import { sourceOf } from '../combine/side.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import { sameName } from '../reading/names.ts';
import type { Column } from '../reading/types.ts';
import { warn } from '../warnings.ts';

/** A table on the local disk. */
export interface TypedTable {
  readonly file: string;
  readonly columns: readonly Column[];
  readonly path: string;
  readonly rows: number;
  /** A column for the name of the file, where it has none yet. */
  readonly fileColumn?: string | undefined;
}

export interface Part {
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface Merged {
  readonly columns: readonly Column[];
  /** In the order of the tables. */
  readonly parts: readonly Part[];
  readonly warnings: readonly Warning[];
}

/** Throws the Fault COLUMN_MISFIT where no type keeps the values of a column. */
export async function mergeTables(engine: Engine, tables: readonly TypedTable[], workDir: string): Promise<Merged> {
  const warnings: Warning[] = [];
  const columns: Column[] = [];
  for (const holders of byName(tables)) {
    const type = await typeOf(engine, holders);
    const [{ column }] = holders;
    columns.push({ name: column.name, type });
    const types = new Set(holders.map(({ column: { type: own } }) => own));
    if (types.size > 1)
      warnings.push(warn('COLUMN_WIDENED', { column: column.name, detail: `${[...types].join(', ')} → ${type}.` }));
  }
  const { fileColumn } = tables.find((table) => table.fileColumn !== undefined) ?? {};
  const own = columns.findIndex(({ name }) => name === fileColumn);
  if (own >= 0) columns.push(...columns.splice(own, 1));
  else if (fileColumn !== undefined) columns.push({ name: fileColumn, type: 'VARCHAR' });
  const parts: Part[] = [];
  for (const [index, table] of tables.entries())
    parts.push(await partOf(engine, table, columns, join(workDir, `merged-${index}.parquet`)));
  return { columns, parts, warnings };
}

type Holder = One & { readonly file: string };

/** Of each name, the tables that have it. */
function byName(tables: readonly TypedTable[]): (readonly [Holder, ...Holder[]])[] {
  const found = new Map<string, [Holder, ...Holder[]]>();
  const holders = tables.flatMap(({ file, columns, path }) =>
    columns.map((column) => ({ source: sourceOf([{ path }]), column, file })),
  );
  for (const holder of holders) {
    const name = sameName(holder.column.name);
    const known = found.get(name);
    if (known === undefined) found.set(name, [holder]);
    else known.push(holder);
  }
  return [...found.values()];
}

const isOne = (holders: readonly Holder[]): boolean => new Set(holders.map(({ column }) => column.type)).size <= 1;

async function typeOf(engine: Engine, holders: readonly [Holder, ...Holder[]]): Promise<string> {
  const [{ column: first }] = holders;
  if (isOne(holders)) return first.type;
  const present: Holder[] = [];
  for (const holder of holders) if (!(await isEmpty(engine, holder))) present.push(holder);
  const [one] = present;
  if (one === undefined) return first.type;
  if (isOne(present)) return one.column.type;
  for (const type of candidates(present.map(({ column }) => column.type)))
    if (await allKeep(engine, present, type)) return type;
  const other = must(
    present.find(({ column }) => column.type !== one.column.type),
    'another type',
  );
  const types = `${one.column.type} in ${JSON.stringify(one.file)} and ${other.column.type} in ${JSON.stringify(other.file)}`;
  throw new Fault('COLUMN_MISFIT', `The column ${JSON.stringify(first.name)} is ${types}.`, {
    extra: { column: first.name, file: other.file, type: one.column.type, added: other.column.type },
  });
}

/** Types that may keep the values of all, the narrowest first. */
function candidates(types: readonly string[]): readonly string[] {
  const [first = '', ...others] = new Set(types);
  return others.reduce<readonly string[]>(
    (found, type) => [...new Set(found.flatMap((each) => commonTypes(each, type)))],
    [first],
  );
}

async function allKeep(engine: Engine, holders: readonly Holder[], type: string): Promise<boolean> {
  for (const holder of holders) if (!(await keeps(engine, holder, type))) return false;
  return true;
}

async function partOf(
  engine: Engine,
  { file, columns: has, path, rows, fileColumn }: TypedTable,
  columns: readonly Column[],
  target: string,
): Promise<Part> {
  if (fileColumn === undefined && isSame(has, columns)) {
    await rename(path, target);
  } else {
    const cells = columns.map((column) =>
      column.name === fileColumn ? `${literal(file)} AS ${identifier(column.name)}` : cell(column, has),
    );
    const from = `${sourceOf([{ path }])} o`;
    await engine.run(
      `COPY (SELECT ${cells.join(', ')} FROM ${from}) TO ${literal(target)} (FORMAT parquet, COMPRESSION snappy)`,
    );
  }
  return { path: target, bytes: (await stat(target)).size, rows };
}
