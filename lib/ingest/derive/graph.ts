// How the tables of a dataset are made of each other, as their rows say it: no manifest is read.
import type { TableId } from '../../core/ids.ts';
import type { TableVersion } from '../../job/ports.ts';
import type { TableRecord } from '../catalog.ts';
import type { PublishedTable } from '../manifest.ts';

type Tables = readonly PublishedTable[];

/** A table that others lead to, and by how many steps at least. */
export interface Reached {
  readonly id: TableId;
  readonly distance: number;
}

/** What is found from `from` by following `next`, nearest first, without `from` itself; each once, so that a circle ends. */
function reach(from: TableId, next: (id: TableId) => readonly TableId[]): Reached[] {
  const found = new Map<TableId, number>([[from, 0]]);
  // What is added while it is walked is walked too.
  for (const [id, distance] of found) {
    const fresh = next(id).filter((each) => !found.has(each));
    for (const each of fresh) found.set(each, distance + 1);
  }
  found.delete(from);
  return [...found].map(([id, distance]) => ({ id, distance }));
}

const sourcesBy = (tables: Tables) => {
  const known = new Map(tables.map(({ id, current }) => [id, (current.sources ?? []).map((each) => each.table)]));
  return (id: TableId): readonly TableId[] => known.get(id) ?? [];
};

/** The tables that a table is made of, through others too. */
export const upstreamOf = (tables: Tables, id: TableId): Reached[] => reach(id, sourcesBy(tables));

/** The tables that are made of a table, through others too. */
export function downstreamOf(tables: Tables, id: TableId): Reached[] {
  const sources = sourcesBy(tables);
  const users = new Map<TableId, TableId[]>();
  for (const table of tables)
    for (const source of sources(table.id)) users.set(source, [...(users.get(source) ?? []), table.id]);
  return reach(id, (each) => users.get(each) ?? []);
}

/** Those of `sources` that are the table itself, or made of it. */
export const circlesThrough = (tables: Tables, id: TableId, sources: readonly TableId[]): TableId[] =>
  sources.filter((source) => source === id || upstreamOf(tables, source).some((each) => each.id === id));

/** Whether one of the sources is published as another snapshot than the one that was read. */
export function isStale(
  tables: readonly Pick<TableRecord, 'id' | 'current'>[],
  sources: readonly TableVersion[],
): boolean {
  const published = new Map(tables.map(({ id, current }) => [id, current?.snapshot]));
  return sources.some(({ table, snapshot }) => published.get(table) !== snapshot);
}
