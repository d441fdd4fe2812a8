// Samples of a table: some different values of each column, and a few whole rows, both drawn by lot under a seed. A value that any detector
// knows is in none of them, although its column as a whole is not tagged: a mailbox in a column of remarks is one all the same.
import { type DrawnRow, ROW_COLUMNS } from '../look/request.ts';
import type { ValuesOf } from '../look/values.ts';
import type { Column } from '../reading/types.ts';
import type { CustomDetector } from './custom.ts';
import { isPersonal } from './decide.ts';
import type { Detector } from './detector.ts';
import type { Match } from './tag-columns.ts';

/** Values of a column; of wide tables fewer. */
const VALUES = 8;
const VALUES_OF_TABLE = 20_000;
const ROWS = 5;
const VALUE_CHARACTERS = 256;
/** Drawn values of a column that are looked at. */
const VALUES_DRAWN = 48;

export interface SampleRequest {
  readonly match: Match;
  /** Those that may be shown, with the values that samples are drawn from. */
  readonly columns: readonly ValuesOf[];
  /** Of the first columns, more than are shown. */
  readonly rows: readonly DrawnRow[];
  /** Of which no value is personal. */
  readonly cleared: ReadonlySet<string>;
  readonly detectors: readonly Detector[];
  readonly custom: readonly CustomDetector[];
}

export interface Drawn {
  /** By name of column, in an order that says nothing. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly rows: { readonly columns: string[]; readonly rows: (string | null)[][] };
}

const cut = (text: string): string =>
  text.length <= VALUE_CHARACTERS ? text : `${text.slice(0, VALUE_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

export async function drawSamples(request: SampleRequest): Promise<Drawn> {
  const { columns } = request;
  const wanted = Math.max(1, Math.min(VALUES, Math.floor(VALUES_OF_TABLE / columns.length)));
  const values = new Map<string, readonly string[]>();
  for (const column of columns) {
    const drawn = column.values.slice(0, VALUES_DRAWN);
    const personal = request.cleared.has(column.name) ? [] : await personalAmong(request, column.type, drawn);
    const kept = drawn.filter((_, at) => personal[at] !== true);
    if (kept.length > 0) values.set(column.name, kept.slice(0, wanted).map(cut));
  }
  return { values, rows: await chooseRows(request) };
}

/** Of each value, whether a detector of the service or of the workspace knows it. */
async function personalAmong(
  { match, detectors, custom }: SampleRequest,
  type: string,
  values: readonly string[],
): Promise<boolean[]> {
  const personal = values.map((value) => isPersonal(value, type, detectors));
  for (const { pattern } of custom) {
    if (pattern === undefined) continue;
    const hits = await match(pattern, values).catch(() => []);
    for (const [at, hit] of hits.entries()) personal[at] ||= hit;
  }
  return personal;
}

/** A row with a value that a detector knows is left out as a whole. */
async function chooseRows(request: SampleRequest): Promise<Drawn['rows']> {
  const columns = request.columns.slice(0, request.rows[0]?.length ?? ROW_COLUMNS);
  const kept: (string | null)[][] = [];
  for (const row of request.rows) {
    if (kept.length === ROWS) break;
    if (!(await holdsPersonal(request, columns, row)))
      kept.push(row.map((value) => (value === null ? null : cut(value))));
  }
  return { columns: columns.map(({ name }) => name), rows: kept };
}

async function holdsPersonal(
  request: SampleRequest,
  columns: readonly Column[],
  row: readonly (string | null)[],
): Promise<boolean> {
  const looked = columns.flatMap(({ name, type }, at) => {
    const value = row[at];
    return typeof value === 'string' && !request.cleared.has(name) ? [{ type, value }] : [];
  });
  if (looked.some(({ type, value }) => isPersonal(value, type, request.detectors))) return true;
  const texts = looked.map(({ value }) => value);
  return (await personalAmong({ ...request, detectors: [] }, 'VARCHAR', texts)).includes(true);
}
