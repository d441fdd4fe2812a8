// Where the pages of a row group stand in its file, and the same row group with its pages elsewhere.
import type { Stretch } from '../../chunks/plain.ts';
import { chunkFields, groupFields, metadataFields } from '../fields.ts';
import { MAGIC } from '../footer.ts';
import { encrypted } from '../require-parquet.ts';
import type { List, Struct, Value } from '../thrift.ts';
import { damaged } from './damaged.ts';

const [I64, LIST, STRUCT] = [6, 9, 12];

/** An old writer did not count the header of a dictionary in the bytes of its column. */
export const HEADER_BYTES = 128;

/** Of a column in a row group; empty where it has none. */
export interface Pages extends Stretch {
  readonly data: number;
  /** Absent where it has no dictionary. */
  readonly dictionary?: number | undefined;
}

const numberIn = (struct: Struct, field: number): number => {
  const value = struct.get(field)?.value;
  return typeof value === 'bigint' ? Number(value) : Number.NaN;
};

export const structIn = (struct: Struct, field: number): Struct => {
  const value = struct.get(field)?.value;
  if (!(value instanceof Map)) throw damaged('the footer lacks what it has to say of a column');
  return value as Struct;
};

export const structsIn = (struct: Struct, field: number): readonly Struct[] => {
  const list = struct.get(field)?.value as List | undefined;
  const items = list?.items ?? [];
  if (list?.of !== STRUCT && items.length > 0) throw damaged('the footer has another value where a list is');
  return items.map(({ value }) => value as Struct);
};

const NO_PAGES: Pages = { start: MAGIC.length, end: MAGIC.length, data: MAGIC.length };

function pagesOf(column: Struct, end: number): Pages {
  if (column.has(chunkFields.crypto) || column.has(chunkFields.encrypted)) throw encrypted();
  if (column.has(chunkFields.file)) throw damaged('its columns are in other files');
  const metadata = structIn(column, chunkFields.metadata);
  const [size, data] = [numberIn(metadata, metadataFields.compressed), numberIn(metadata, metadataFields.data)];
  if (size === 0) return NO_PAGES;
  const said = numberIn(metadata, metadataFields.dictionary);
  // Some writers say 0 where there is none.
  const dictionary = said >= MAGIC.length ? said : undefined;
  const start = Math.min(data, dictionary ?? data);
  const pages = { start, end: start + size, data, dictionary };
  if (start >= MAGIC.length && size > 0 && pages.end <= end && Math.max(data, dictionary ?? 0) < pages.end)
    return pages;
  throw damaged('a column is to stand where the file has none');
}

export interface GroupPages {
  readonly rows: number;
  /** Of each column, in their order. */
  readonly columns: readonly Pages[];
}

/** `end`: where the footer begins. Throws the Fault PARSE_ERROR, and a TypeError for what is no row group. */
export function groupPages(group: Struct, end: number): GroupPages {
  const rows = numberIn(group, groupFields.rows);
  if (!Number.isSafeInteger(rows) || rows < 0) throw damaged('the footer does not say how many rows a row group has');
  return { rows, columns: structsIn(group, groupFields.columns).map((column) => pagesOf(column, end)) };
}

const without = (struct: Struct, fields: readonly number[]): Map<number, Value> =>
  new Map([...struct].filter(([field]) => !fields.includes(field)));

/** With other values in fields that are there. */
const changed = (struct: Struct, fields: ReadonlyMap<number, Value>): Struct =>
  new Map([...struct].map(([field, value]) => [field, fields.get(field) ?? value]));

const i64 = (number: number): Value => ({ type: I64, value: BigInt(number) });

/** What points at places that are not taken along. */
const indexes = [
  ...[chunkFields.offsetIndex, chunkFields.offsetIndexLength],
  ...[chunkFields.columnIndex, chunkFields.columnIndexLength],
];
const { bloom, bloomLength, index, dictionary } = metadataFields;

function movedColumn(column: Struct, pages: Pages, by: number): Value {
  const inside = without(structIn(column, chunkFields.metadata), [
    ...[bloom, bloomLength, index],
    ...(pages.dictionary === undefined ? [dictionary] : []),
  ]);
  const places = new Map([[metadataFields.data, i64(pages.data + by)]]);
  if (pages.dictionary !== undefined) places.set(dictionary, i64(pages.dictionary + by));
  const described = changed(inside, places);
  // It stands in the footer alone.
  const nowhere = new Map([[chunkFields.offset, i64(0)]]);
  const moved = changed(without(column, indexes), nowhere);
  return { type: STRUCT, value: new Map([...moved, [chunkFields.metadata, { type: STRUCT, value: described }]]) };
}

/** A row group whose pages stand elsewhere: `by` says how much further on, by where those of a column began. */
export function movedGroup(group: Struct, { columns }: GroupPages, by: (start: number) => number): Value {
  const items = structsIn(group, groupFields.columns).map((column, place) => {
    const pages = columns[place] ?? NO_PAGES;
    return movedColumn(column, pages, pages === NO_PAGES ? 0 : by(pages.start));
  });
  const bare = without(group, [groupFields.offset, groupFields.ordinal]);
  const value = changed(bare, new Map([[groupFields.columns, { type: LIST, value: { of: STRUCT, items } }]]));
  return { type: STRUCT, value };
}
