// What one look at a table is asked for, and what it answers: stages that need some of it share the look, so that a table is read once.
import type { Engines, EngineSettings } from '../engine/engine.ts';
import type { Column, ColumnProfile } from '../reading/types.ts';
import { isDrawn, lotOf } from './lots.ts';

/** `values`: tags are decided on them. `rows`: whole ones, that samples are made of. `texts`: meanings are told by them. */
export const findings = ['values', 'rows', 'profile', 'texts'] as const;
export type FindingName = (typeof findings)[number];

export interface LookRequest extends EngineSettings {
  /** Local files of one schema, in the order of the rows. */
  readonly parquetPaths: readonly string[];
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** Decides which values and which rows are drawn. */
  readonly seed: string;
  readonly wanted: ReadonlySet<FindingName>;
}

/** A value a row as text, null where there is none. */
export type DrawnRow = readonly (string | null)[];

/** Lists with an entry a column are in the order of the columns. */
export interface Looked {
  /** Different values, in an order that says nothing. */
  readonly values: readonly (readonly string[])[];
  /** Of the first `ROW_COLUMNS` columns, in an order that says nothing. */
  readonly rows: readonly DrawnRow[];
  readonly profile: readonly ColumnProfile[];
  /** Of columns of text: values of some rows, but for those too long to be looked at whole. Empty of other columns. */
  readonly texts: readonly (readonly string[])[];
}

/** What a look finds in one column. */
export interface ColumnLooked {
  readonly values: readonly string[];
  readonly profile?: ColumnProfile | undefined;
  readonly texts: readonly string[];
}

/** Columns of whole rows: a row of thousands shows nobody anything. */
export const ROW_COLUMNS = 200;
/** Whole rows, at most: enough are left once those with personal data are gone. */
export const ROWS_DRAWN = 40;
/** Rows that distributions and shapes are taken from; smaller tables are looked at whole. */
export const SAMPLE_ROWS = 10_000;

/** A look under way. */
export interface Looking {
  readonly engines: Engines;
  readonly request: LookRequest;
  readonly seed: bigint;
  /** Values of each column, and rows whose texts are looked at; about so many, each. */
  readonly values: number;
  /** Bytes of the values of each column, by its name. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** The share of the memory of the engine that the values of a column may take as they are. */
const LIGHT_SHARE = 1 / 4;
/** Bytes of a value in the mean, up to which the values of a column are as short as they look, however many there are. */
const SHORT = 64;

/** Bytes of a value of the column in the mean. */
export const widthIn = (bytes: Looking['bytes'], rows: number, { name }: Column): number =>
  (bytes.get(name) ?? 0) / Math.max(1, rows);

/** Whether the values of a column are so long that none of them is kept whole: where all of them, told from each other, may not fit the memory. */
export function isLong({ request, bytes }: Looking, column: Column): boolean {
  const held = bytes.get(column.name) ?? 0;
  return held > LIGHT_SHARE * request.limits.engineMemoryBytes && widthIn(bytes, request.rowCount, column) > SHORT;
}

/** Whether the values of a column are wanted, be it for tags or for a profile. */
export const wantsValues = ({ request: { wanted } }: Looking): boolean => wanted.has('profile') || wanted.has('values');

/** SQL that says whether a row may be one of the whole ones: twice as many are, so that there are enough whatever the lots. */
export const isWholeRow = ({ seed, request }: Looking, row: string): string =>
  isDrawn(lotOf(row, seed), 2 * ROWS_DRAWN, request.rowCount);
