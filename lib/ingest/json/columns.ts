// Which member of a record belongs to which column.
import { Fault } from '../../core/fault.ts';
import { NAME_BYTES } from '../formats/cells.ts';
import { JsonProblem, type Kind, kinds } from './grammar.ts';
import type { Key } from './leads.ts';
import type { Members } from './members.ts';

export interface KeyColumn {
  readonly key: string;
  /** How many times the key stood in the object before. */
  readonly repeat: number;
  readonly rawKey: Buffer;
  readonly index: number;
  /** The last record that had it, to notice a key that an object repeats. */
  lastRecord: number;
  /** How many values there are. */
  readonly counts: Readonly<Record<Kind, number>>;
  /** First row and example of each kind but null. */
  readonly first: Partial<Record<Kind, { row: number; example: string }>>;
}

/** A column as it is kept; JSON. */
export type KeptColumn = Pick<KeyColumn, 'key' | 'repeat' | 'counts' | 'first'> & { readonly rawKey: string };

const namedCounts = ([string = 0, number = 0, boolean = 0, nulls = 0, nested = 0]: Iterable<number>) => ({
  ...{ string, number, boolean, null: nulls, nested },
});
const noCounts = namedCounts([]);

/** Columns that have room at first. */
const TALLIED_COLUMNS = 64;

/** Counts of values of each kind, column by column. */
function kindTallies() {
  let all = new Float64Array(TALLIED_COLUMNS * kinds.length);
  const startOf = (column: number): number => column * kinds.length;
  return {
    all: () => all,
    put: (column: number, counts: Readonly<Record<Kind, number>>): void => {
      if (startOf(column) >= all.length) {
        const larger = new Float64Array(2 * all.length);
        larger.set(all);
        all = larger;
      }
      for (const [place, kind] of kinds.entries()) all[startOf(column) + place] = counts[kind];
    },
    of: (column: number) => namedCounts(all.subarray(startOf(column), startOf(column + 1))),
  };
}

type KindTallies = ReturnType<typeof kindTallies>;

export const keptColumn = ({ key, repeat, counts, first, rawKey }: KeyColumn): KeptColumn => ({
  ...{ key, repeat, counts, first },
  rawKey: rawKey.toString('utf8'),
});

export interface KeyColumns {
  readonly list: readonly KeyColumn[];
  /** How many values there are of each of `kinds`, column by column. */
  readonly tallies: Float64Array;
  /** Finds the columns of the members of record number `record`; new ones where there are none yet. */
  locate(bytes: Buffer, members: Members, record: number): void;
}

/** The text of a JSON string that stands at a byte range, quotes included. */
export function textOf(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw.slice(1, -1);
  return JSON.parse(raw) as string;
}

type KnownColumn = Omit<KeptColumn, 'rawKey'> & { readonly rawKey: Buffer };

function columnAt(index: number, { counts, first, ...named }: KnownColumn, tallies: KindTallies): KeyColumn {
  tallies.put(index, counts);
  return {
    ...{ ...named, index, lastRecord: 0, first: { ...first } },
    get counts() {
      return tallies.of(index);
    },
  };
}

/** Columns in the order in which keys first appear, behind those known; a key repeated within one object gets a column of its own. */
export function keyColumns(maxColumns: number, known: readonly KeptColumn[] = []): KeyColumns {
  const list: KeyColumn[] = [];
  const byKey = new Map<string, KeyColumn>();

  const tallies = kindTallies();

  const put = (named: KnownColumn): KeyColumn => {
    const column = columnAt(list.length, named, tallies);
    list.push(column);
    byKey.set(`${column.repeat}:${column.key}`, column);
    return column;
  };
  const add = (repeat: number, key: string, rawKey: Buffer): KeyColumn => {
    if (list.length >= maxColumns)
      throw new Fault('TOO_MANY_COLUMNS', `There are more than ${maxColumns} keys.`, { extra: { limit: maxColumns } });
    return put({ key, repeat, rawKey, counts: noCounts, first: {} });
  };
  for (const column of known) put({ ...column, rawKey: Buffer.from(column.rawKey) });
  const lookUp = (bytes: Buffer, start: number, end: number, record: number): KeyColumn => {
    if (end - start > NAME_BYTES) throw new JsonProblem(start, `a key takes more than ${NAME_BYTES} bytes.`);
    const key = textOf(bytes, start, end);
    if (key.includes('\0')) throw new JsonProblem(start, 'a key holds NUL, which no column can be called.');
    for (let repeat = 0; ; repeat++) {
      const column = byKey.get(`${repeat}:${key}`) ?? add(repeat, key, Buffer.from(bytes.subarray(start, end)));
      if (column.lastRecord !== record) return column;
    }
  };
  const columnOf = (key: Key, bytes: Buffer, start: number, end: number, record: number): KeyColumn => {
    const known = list[key.column];
    // A key that an object repeats has a column for each time.
    if (known !== undefined && known.lastRecord !== record) return known;
    const column = lookUp(bytes, start, end, record);
    if (column.repeat === 0) key.column = column.index;
    return column;
  };
  return {
    list,
    get tallies() {
      return tallies.all();
    },
    locate(bytes, members, record) {
      if (members.located === members.shape) return;
      const { keys, keyStarts, keyEnds } = members;
      for (let place = 0; place < members.count; place++) {
        const key = keys[place] as Key;
        const column = columnOf(key, bytes, keyStarts[place] as number, keyEnds[place] as number, record);
        column.lastRecord = record;
        members.columns[place] = column.index;
      }
      members.located = members.shape;
    },
  };
}
