// What a definition has to keep to, asked when it is submitted and again when it is run.
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { TableId } from '../../core/ids.ts';
import type { QueryCheck, QueryColumn } from '../../query/types.ts';
import type { PublishedTable } from '../manifest.ts';
import { circlesThrough } from './graph.ts';
import type { DeriveInput } from './input.ts';

/** More would not fit beside the table's row. */
const MOST_SOURCES = 200;

/** Throws the Fault TABLE_UPLOADED. */
export function requireDerived({ name, current }: Pick<PublishedTable, 'name' | 'current'>): void {
  if (current.sources === undefined) throw new Fault('TABLE_UPLOADED', `The table ${name} holds the rows of a file.`);
}

/** Whether a definition may take the place of what is published under its name, if anything. Throws the Faults TABLE_UPLOADED and CONFLICT. */
export function requireDefinable(own: PublishedTable | undefined, mode: DeriveInput['mode'] = 'create'): void {
  if (own === undefined) return;
  requireDerived(own);
  if (mode === 'create')
    throw new Fault('CONFLICT', `The table ${own.name} is there already; send mode "replace" to give it another SQL.`);
}

/** The tables that the SQL of the table `own` reads. Throws the Faults DERIVATION_CYCLE and LIMIT_EXCEEDED. */
export function sourcesOf(
  tables: readonly PublishedTable[],
  own: TableId,
  { tables: names }: Pick<QueryCheck, 'tables'>,
): PublishedTable[] {
  if (names.length > MOST_SOURCES)
    throw new Fault('LIMIT_EXCEEDED', `The SQL reads ${names.length} tables; ${MOST_SOURCES} are the limit.`);
  const byName = new Map(tables.map((table) => [table.name, table]));
  const sources = names.map((name) => must(byName.get(name), 'a table that the SQL reads'));
  const ids = sources.map(({ id }) => id);
  const circles = circlesThrough(tables, own, ids);
  if (circles.length === 0) return sources;
  const shown = sources.filter(({ id }) => circles.includes(id)).map(({ name }) => name);
  throw new Fault('DERIVATION_CYCLE', `These are the table itself, or derived from it: ${shown.join(', ')}.`);
}

/** What a table may have as its columns. Throws the Fault SQL_INVALID. */
export function requireColumns(columns: readonly QueryColumn[]): void {
  const seen = new Set<string>();
  for (const [at, { name, type }] of columns.entries()) {
    const key = name.toLowerCase();
    if (name.trim() === '') throw new Fault('SQL_INVALID', `Column ${at + 1} has no name: give it one with AS.`);
    if (seen.has(key)) throw new Fault('SQL_INVALID', `Two columns are called ${name}: name them apart with AS.`);
    if (type.includes('UNION('))
      throw new Fault('SQL_INVALID', `Column ${name} is a UNION, which no table holds: cast it.`);
    seen.add(key);
  }
}
