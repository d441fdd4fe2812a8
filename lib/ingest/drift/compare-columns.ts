// What is different in the columns of a new snapshot, and what of it would break a query on the ones before.
import type { z } from 'zod';
import type { changesSchema, Manifest } from '../manifest-schema.ts';
import type { Column } from '../reading/types.ts';
import { chooseRenames, likenessOf, type PlacedColumn, type Renames } from './renames.ts';
import { typeChangeOf } from './type-change.ts';
import { overlapOf, type Sketch } from './value-overlap.ts';

export type Changes = z.infer<typeof changesSchema>;
type Before = Pick<Manifest, 'columns' | 'rowCount'>;

/** Sketches of columns by name, where their values were looked at. */
export interface Sketches {
  readonly before: ReadonlyMap<string, Sketch>;
  readonly after: ReadonlyMap<string, Sketch>;
}

/** Removed and added columns: the two sides of a rename. */
export function movedColumns(before: readonly Column[], after: readonly Column[]) {
  const [names, earlier] = [namesOf(after), namesOf(before)];
  return {
    removed: placed(before).filter(({ name }) => !names.has(name)),
    added: placed(after).filter(({ name }) => !earlier.has(name)),
  };
}

const namesOf = (columns: readonly Column[]) => new Set(columns.map(({ name }) => name));
const placed = (columns: readonly Column[]): PlacedColumn[] =>
  columns.map(({ name, type }, at) => ({ name, type, place: columns.length < 2 ? 0 : at / (columns.length - 1) }));

/** By exact name and type, and by what the values say where a column may have another name. */
export function compareColumns(before: Before, after: readonly Column[], sketches?: Sketches): Changes {
  const { removed, added } = movedColumns(before.columns, after);
  const { renamed, candidates } = renamesBetween(removed, added, sketches);
  const [gone, come] = [new Set(renamed.map(({ from }) => from)), new Set(renamed.map(({ to }) => to))];
  return {
    added: added.filter(({ name }) => !come.has(name)).map(({ name }) => name),
    removed: removed.filter(({ name }) => !gone.has(name)).map(({ name }) => name),
    typeChanged: typesChanged(before, after, renamed),
    renamed: renamed.map((one) => ({ ...one, reasons: [...one.reasons] })),
    candidates: candidates.map((one) => ({ ...one, reasons: [...one.reasons] })),
  };
}

/** Beyond these the pairs are too many to look at: a table with other columns throughout is another table. */
const MOST_MOVED = 200;

function renamesBetween(
  removed: readonly PlacedColumn[],
  added: readonly PlacedColumn[],
  sketches?: Sketches,
): Renames {
  if (removed.length > MOST_MOVED || added.length > MOST_MOVED) return { renamed: [], candidates: [] };
  return chooseRenames(
    removed.flatMap((from) => added.map((to) => likenessOf(from, to, overlapBetween(from.name, to.name, sketches)))),
  );
}

function overlapBetween(from: string, to: string, sketches: Sketches | undefined) {
  const [left, right] = [sketches?.before.get(from), sketches?.after.get(to)];
  return left && right && overlapOf(left, right);
}

function typesChanged({ columns, rowCount }: Before, after: readonly Column[], renamed: Renames['renamed']) {
  const earlier = new Map(columns.map((column) => [column.name, column]));
  const names = new Map(renamed.map(({ from, to }) => [to, from]));
  return after.flatMap(({ name, type }) => {
    const was = earlier.get(names.get(name) ?? name);
    if (was === undefined || was.type === type) return [];
    // A column without a value had no type of its own.
    const empty = rowCount === 0 || was.profile?.nulls === rowCount;
    const change = empty ? ('widening' as const) : typeChangeOf(was.type, type);
    return [{ column: name, from: was.type, to: type, change }];
  });
}

/** Sentences, one for each change that a query on the snapshot before may not survive. SQL tells names apart without regard to case. */
export function breakingChanges({ removed, typeChanged, renamed = [] }: Changes): string[] {
  return [
    ...removed.map((name) => `The column ${name} is gone.`),
    ...renamed
      .filter(({ from, to }) => from.toLowerCase() !== to.toLowerCase())
      .map(({ from, to }) => `The column ${from} is called ${to}.`),
    ...typeChanged
      .filter(({ change }) => change !== 'widening')
      .map(({ column, from, to }) => `The column ${column} was ${from} and is ${to}.`),
  ];
}
