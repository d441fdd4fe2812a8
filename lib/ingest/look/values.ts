// The values that the tags of a table are decided on: for each column a sample of its different values, so that a column that is nearly empty,
// or has one value a million times, is seen as well as any other. How many of them there are tells how many differ in all.
import type { Column } from '../reading/types.ts';
import { isDrawn, lotOf } from './lots.ts';

/** Different values of a column that are looked at, about; of wide tables fewer. */
const VALUES = 1000;
const VALUES_OF_TABLE = 200_000;
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

/** How many values of each column. */
export const valuesWanted = (columns: readonly Column[]): number => {
  const looked = columns.filter(({ type }) => isLooked(type)).length;
  return Math.max(FEWEST_VALUES, Math.min(VALUES, Math.floor(VALUES_OF_TABLE / Math.max(1, looked))));
};

/** SQL of a value of which no more is kept than is looked at; a longer text is one character longer than that. */
export const shortened = (value: string, type: string): string =>
  type === 'VARCHAR'
    ? `CASE WHEN strlen(${value}) > ${LOOKED_AT} THEN left(${value}, ${LOOKED_AT + 1}) ELSE ${value} END`
    : value;

/** Bytes of a text from which on its start and its hash stand for it where different values are counted. */
const LONG = 4096;

/** SQL of what tells values from each other: of a long text its start, which is all that is shown of it, and its hash. */
export const told = (value: string, type: string): string =>
  type === 'VARCHAR'
    ? `CASE WHEN strlen(${value}) > ${LONG} THEN left(${value}, ${LOOKED_AT + 1}) || sha256(${value}) ELSE ${value} END`
    : value;

/** SQL of a list of values as a JSON list of their texts. */
const asTexts = (list: string, type: string): string => {
  const text = isNested(type) ? 'CAST(to_json(x) AS VARCHAR)' : 'CAST(x AS VARCHAR)';
  return `CAST(to_json(list_transform(${list}, lambda x: left(${text}, ${LOOKED_AT}))) AS VARCHAR)`;
};

const NONE = 'NULL::VARCHAR';

interface Drawing {
  readonly seed: bigint;
  readonly wanted: number;
}

/** Of values that are counted, each once: those with the smallest lots. */
export const valuesOfCounted = (value: string, type: string, { seed, wanted }: Drawing): string =>
  isLooked(type)
    ? asTexts(`min_by(${shortened(value, type)}, ${lotOf(`hash(${value})`, seed)}, ${wanted})`, type)
    : NONE;

/**
 * SQL that draws among the values of a column, about `of` of which are thought to differ (all rows where nobody knows): how many different lots
 * there are to estimate from, then the values that are looked at.
 */
export function drawnValues({ from, value, hash, type, of }: Drawn, { seed, wanted }: Drawing): string {
  const lot = lotOf(hash, seed);
  const drawn = `SELECT DISTINCT ${lot} AS lot, ${shortened(value, type)} AS v FROM ${from}
    WHERE ${value} IS NOT NULL AND ${isDrawn(lot, ESTIMATED_FROM, of)}`;
  const values = isLooked(type) ? asTexts(`list(v ORDER BY lot) FILTER (${isDrawn('lot', wanted, of)})`, type) : NONE;
  return `SELECT count(*), ${values} FROM (${drawn})`;
}

interface Drawn {
  readonly from: string;
  readonly value: string;
  /** SQL of the hash of the whole value. */
  readonly hash: string;
  readonly type: string;
  readonly of: number;
}

/** SQL that says whether a row holds a value that is drawn. */
export const holdsDrawn = (value: string, rows: number, seed: bigint): string =>
  isDrawn(lotOf(`hash(${value})`, seed), ESTIMATED_FROM, rows);

/** How many values differ, by how many lots of them were drawn. */
export const estimateFrom = (drawn: number, of: number): number =>
  Math.round((drawn * of) / Math.min(ESTIMATED_FROM, of));

/** Whether so few were drawn that an estimate is far off, and few values may have been. */
export const isRough = (drawn: number): boolean => drawn < ESTIMATED_FROM / 2;

/** Blank ones are no values. */
export const trimmed = (json: string | null | undefined): string[] => {
  const values = JSON.parse(json ?? '[]') as string[];
  return [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '');
};
