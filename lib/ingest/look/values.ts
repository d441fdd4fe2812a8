// The values that the tags of a table are decided on: for each column a sample of its different values, so that a column that is nearly empty,
// or has one value a million times, is seen as well as any other. How many of them there are tells how many differ in all.
import type { Column } from '../reading/types.ts';
import { ALL_LOTS, isDrawn, lotOf } from './lots.ts';

/** Different values of a column that are looked at, about; of wide tables and long values fewer. */
const VALUES = 1000;
const VALUES_OF_TABLE = 200_000;
const CHARACTERS_OF_TABLE = 2 ** 25;
const FEWEST_VALUES = 50;
/** Characters of a value that are looked at. */
const LOOKED_AT = 1000;
/** Lots drawn to estimate from: of so many different values the estimate is within 5 % nearly always. */
const ESTIMATED_FROM = 4000;

export interface ValuesOf extends Column {
  /** Different values as text, in the order of their lots. */
  readonly values: readonly string[];
}

const isNested = (type: string): boolean => /^(STRUCT|MAP|UNION|JSON|VARIANT)|\]$/.test(type);
const isLooked = (type: string): boolean => !/^(BOOLEAN|BLOB|BIT|GEOMETRY|INTERVAL)/.test(type);

/** How many values of each column; `widthOf`: bytes of a value in the mean. */
export function valuesWanted(columns: readonly Column[], widthOf: (column: Column) => number): number {
  const looked = columns.filter(({ type }) => isLooked(type));
  const width = looked.reduce((sum, column) => sum + Math.min(LOOKED_AT, widthOf(column)), 1);
  const most = Math.min(VALUES, VALUES_OF_TABLE / Math.max(1, looked.length), CHARACTERS_OF_TABLE / width);
  return Math.max(FEWEST_VALUES, Math.floor(most));
}

/** Whether a column's values are texts as they are. */
const isText = (type: string): boolean => type === 'VARCHAR' || type === 'JSON';

/** SQL of a value as text; nested ones are JSON. */
const textOf = (value: string, type: string): string =>
  isNested(type) && !isText(type) ? `to_json(${value})::VARCHAR` : `${value}::VARCHAR`;

/** SQL of as much of a value's text as is looked at. */
const lookedAt = (value: string, type: string): string => `left(${textOf(value, type)}, ${LOOKED_AT})`;

const cutShort = (text: string): string =>
  `CASE WHEN strlen(${text}) > ${LOOKED_AT} THEN left(${text}, ${LOOKED_AT + 1}) ELSE ${text} END`;

/** SQL of a value of which no more is kept than is looked at; a longer text is one character longer than that. `long`: of the column `isLong`. */
export const shortened = (value: string, type: string, long: boolean): string =>
  type === 'VARCHAR' || (long && isNested(type)) ? cutShort(textOf(value, type)) : value;

/** Bytes of a text from which on its start and its hash stand for it where different values are counted. */
const LONG = 4096;
/** SQL of what tells values from each other: of a long text its start, which is all that is shown of it, and its hash; of a nested one its JSON. */
export function told(value: string, type: string): string {
  if (!isText(type) && !isNested(type)) return value;
  const text = textOf(value, type);
  return `CASE WHEN strlen(${text}) > ${LONG} THEN left(${text}, ${LOOKED_AT + 1}) || sha256(${text}) ELSE ${text} END`;
}

const NONE = 'NULL::VARCHAR';

interface Drawing {
  readonly seed: bigint;
  readonly wanted: number;
}

/**
 * SQL of a JSON list of the texts of some of the values that are counted, each once: those with the smallest lots. `many`: SQL of how many
 * values there are. A few more than are wanted are drawn, so that there are enough whatever the lots.
 */
export function valuesOfCounted(value: string, type: string, many: string, { seed, wanted }: Drawing): string {
  if (!isLooked(type)) return NONE;
  const lot = lotOf(`hash(${value})`, seed);
  const some = Math.ceil(wanted + 5 * Math.sqrt(wanted));
  const list = `list(${value} ORDER BY ${lot}) FILTER (${many} <= ${some} OR ${lot} <= ${ALL_LOTS} * ${some} / ${many})`;
  return `to_json(list_transform((${list})[1:${wanted}], lambda x: ${lookedAt('x', type)}))::VARCHAR`;
}

/**
 * SQL of what is drawn among the values of a column: a text of each different lot with the text of its value, where that is looked at. As a text,
 * since DuckDB aggregates lists at the double price, and all else that is asked beside them.
 */
export function drawnAsked({ value, lot, type, of }: Drawn, wanted: number): string {
  const isLot = `${value} IS NOT NULL AND ${isDrawn(lot, ESTIMATED_FROM, of)}`;
  const looked = isLooked(type) ? isDrawn(lot, wanted, of) : 'false';
  const text = `CASE WHEN ${looked} THEN ',' || to_json(${lookedAt(value, type)})::VARCHAR END`;
  return `string_agg(DISTINCT CASE WHEN ${isLot} THEN concat('[', ${lot}, ${text}, ']') END, ',') FILTER (${isLot})`;
}

/** How many lots were drawn, and the values that are looked at in the order of their lots. */
export function readDrawn(drawn: string | null | undefined): { readonly lots: number; readonly values: string[] } {
  const lots = JSON.parse(`[${drawn ?? ''}]`) as [number, string?][];
  const looked = lots.filter((lot): lot is [number, string] => lot[1] !== undefined);
  const values = looked.toSorted(([one], [other]) => one - other).map(([, text]) => text);
  return { lots: lots.length, values: different(values) };
}

interface Drawn {
  /** SQL. */
  readonly value: string;
  /** SQL of its lot. */
  readonly lot: string;
  readonly type: string;
  /** How many values are thought to differ: all rows where nobody knows. */
  readonly of: number;
}

/** How many values differ, by how many lots of them were drawn. */
export const estimateFrom = (drawn: number, of: number): number =>
  Math.round((drawn * of) / Math.min(ESTIMATED_FROM, of));

/** Whether so few were drawn that an estimate is far off, and few values may have been. */
export const isRough = (drawn: number): boolean => drawn < ESTIMATED_FROM / 2;

export const readValues = (json: string | null | undefined): string[] =>
  different(JSON.parse(json ?? '[]') as string[]);

/** Blank ones are no values. */
const different = (values: readonly string[]): string[] =>
  [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '');
