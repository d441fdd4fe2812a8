// Which pairs of columns are worth measuring: by their names and types alone, through indexes of names, so that many tables cost no more
// than their columns. `customer_id` leads to `customers.id`, and to another `customer_id` that tells rows apart.
import { singularOf, wordsOf } from '../semantics/words.ts';
import { groupOf, isKeyLike } from './groups.ts';
import type { Candidate, KeyColumn } from './types.ts';

/** Words by which a table only says of what kind it is. */
const tableMarks: ReadonlySet<string> = new Set(['dim', 'fact', 'raw', 'stg', 't', 'table', 'tbl']);
const keyWords: ReadonlySet<string> = new Set(['code', 'guid', 'id', 'key', 'no', 'nr', 'num', 'number', 'uuid']);
/** Names that say nothing of what they number. */
const generic: ReadonlySet<string> = new Set([
  ...keyWords,
  'date',
  'index',
  'name',
  'rank',
  'row',
  'type',
  'value',
  'year',
]);

const singular = (words: readonly string[]): string => words.map(singularOf).join(' ');

/** A column or a table with its name as singular words. */
interface Named {
  readonly column: KeyColumn;
  readonly words: readonly string[];
  readonly key: string;
}

interface Index {
  /** Columns that tell rows apart, by their name. */
  readonly keys: ReadonlyMap<string, readonly Named[]>;
  /** The same by the name of their table, then by their own. */
  readonly tables: ReadonlyMap<string, readonly Named[]>;
}

const named = (column: KeyColumn): Named => {
  const words = wordsOf(column.column).map(singularOf);
  return { column, words, key: words.join(' ') };
};

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [value]);
  else found.push(value);
}

/** `dim_customers` is known as `dim customer` and as `customer`. */
function namesOfTable(name: string): string[] {
  const words = wordsOf(name);
  const plain = words.filter((word) => !tableMarks.has(word));
  return [...new Set([singular(words), singular(plain)])].filter((each) => each !== '');
}

function indexOf(columns: readonly Named[]): Index {
  const [keys, tables] = [new Map<string, Named[]>(), new Map<string, Named[]>()];
  for (const each of columns) {
    if (!isKeyLike(each.column)) continue;
    push(keys, each.key, each);
    for (const table of namesOfTable(each.column.tableName)) push(tables, table, each);
  }
  return { keys, tables };
}

const same = (a: KeyColumn, b: KeyColumn): boolean => a.table === b.table && a.column === b.column;

/** Whether values of the two can be equal at all; numbers in a text column stand beside whole numbers where names leave no doubt. */
function canBeEqual({ from, to, names }: Candidate): boolean {
  const [one, other] = [groupOf(from.type), groupOf(to.type)];
  if (one === undefined || other === undefined) return false;
  return one === other || (names.score >= 0.85 && one !== 'time' && other !== 'time');
}

function byEqualNames({ column: from, key, words }: Named, { keys }: Index): Candidate[] {
  const last = words.at(-1) ?? '';
  const alone = words.length === 1 && generic.has(last);
  // Every table may count its rows under such a name; texts, such as UUIDs, do not agree by chance.
  if (alone && !(keyWords.has(last) && groupOf(from.type) === 'text')) return [];
  const score = alone ? 0.3 : keyWords.has(last) ? 0.9 : 0.6;
  return (keys.get(key) ?? [])
    .filter(({ column }) => column.table !== from.table)
    .map(({ column: to }) => ({ from, to, names: { score, why: 'the two have the same name' } }));
}

interface Split {
  readonly role: string;
  readonly table: string;
  readonly rest: string;
}

/** A name of more words is a sentence, and refers to no table; its splits grow with the square of its words, and their texts with the cube. */
const MOST_WORDS = 12;

/** Each way in which words can be a role, then a table's name, then what is left: `billing_customer_id` is about `customer`. */
const splitsOf = (words: readonly string[]): Split[] =>
  words.flatMap((_, start) =>
    words.slice(start).map((_word, length) => ({
      role: words.slice(0, start).join(' '),
      table: words.slice(start, start + length + 1).join(' '),
      rest: words.slice(start + length + 1).join(' '),
    })),
  );

function byTableName({ column: from, words }: Named, { tables }: Index): Candidate[] {
  if (words.length > MOST_WORDS) return [];
  return splitsOf(words).flatMap(({ role, table, rest }) => {
    const why = `the name holds that of the table and of its column${role === '' ? '' : `, as “${role}”`}`;
    const fits = (tables.get(table) ?? []).map(({ column: to, key }) => {
      const score = (role === '' ? 1 : 0.85) * fitOf(rest, key, table);
      return { from, to, names: { score, why } };
    });
    return fits.filter(
      ({ to, names }) => names.score > 0 && !same(from, to) && !(role === '' && from.table === to.table),
    );
  });
}

/** How what follows the table's name fits the name of its column. */
function fitOf(rest: string, key: string, table: string): number {
  if (rest === '') return key === 'id' || key === `${table} id` ? 0.6 : 0;
  return rest === key || `${table} ${rest}` === key ? 1 : 0;
}

function byParent({ column: from, words }: Named, { keys }: Index): Candidate[] {
  if (words[0] !== 'parent' || words.length < 2) return [];
  const own = (keys.get(words.slice(1).join(' ')) ?? []).filter(({ column: to }) => to.table === from.table);
  return own.map(({ column: to }) => ({
    from,
    to,
    names: { score: 0.85, why: 'the name says a parent in the same table' },
  }));
}

export interface CandidateLimits {
  /** Pairs in all. */
  readonly pairs: number;
  /** Pairs between two tables. */
  readonly perTables: number;
}

/** Bounded for one run of a stage. */
export const candidateLimits: CandidateLimits = { pairs: 200, perTables: 3 };

export interface Candidates {
  /** The best names first. */
  readonly pairs: readonly Candidate[];
  /** How many more there are beyond the limits. */
  readonly left: number;
}

/** Pairs of columns of which one at least is of a table that `wanted` names. */
export function candidatesIn(
  columns: readonly KeyColumn[],
  wanted: (column: KeyColumn) => boolean,
  limits: CandidateLimits = candidateLimits,
): Candidates {
  const all = columns.filter(({ type }) => groupOf(type) !== undefined).map(named);
  const index = indexOf(all);
  const found = all.flatMap((each) => [
    ...byTableName(each, index),
    ...byParent(each, index),
    ...byEqualNames(each, index),
  ]);
  const best = new Map<string, Candidate>();
  for (const pair of found.filter(({ from, to }) => wanted(from) || wanted(to)).filter(canBeEqual)) {
    const key = pairKey(pair);
    if ((best.get(key)?.names.score ?? 0) < pair.names.score) best.set(key, pair);
  }
  return bounded([...best.values()], limits);
}

/** The same for both directions, of which the one with the better name stays. */
function pairKey({ from, to }: Candidate): string {
  const ends = [from, to].map(({ table, column }) => JSON.stringify([table, column]));
  return ends.sort().join();
}

function bounded(found: readonly Candidate[], { pairs, perTables }: CandidateLimits): Candidates {
  const sorted = found.toSorted((a, b) => b.names.score - a.names.score || (textOf(a) < textOf(b) ? -1 : 1));
  const between = new Map<string, number>();
  const kept = sorted.filter(({ from, to }) => {
    const tables = [from.table, to.table].sort().join();
    const count = (between.get(tables) ?? 0) + 1;
    between.set(tables, count);
    return count <= perTables;
  });
  return { pairs: kept.slice(0, pairs), left: found.length - Math.min(kept.length, pairs) };
}

const textOf = ({ from, to }: Candidate): string =>
  JSON.stringify([from.tableName, from.column, to.tableName, to.column]);
