// Samples of a table: some different values of each column, and a few whole rows, both drawn by lot under a seed. A value that any detector
// knows is in none of them, although its column as a whole is not tagged: a mailbox in a column of remarks is one all the same.
import { createHash } from 'node:crypto';
import { must } from '../../core/check.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import { type CustomDetector, matched } from './custom.ts';
import { isPersonal } from './decide.ts';
import type { Detector } from './detector.ts';
import type { ValuesOf } from './scan.ts';

/** Values of a column; of wide tables fewer. */
const VALUES = 8;
const VALUES_OF_TABLE = 20_000;
const ROWS = 5;
/** Drawn, so that enough are left once rows with personal data are gone. */
const ROWS_DRAWN = 40;
/** Columns of sample rows: a row of thousands shows nobody anything. */
const ROW_COLUMNS = 200;
const VALUE_CHARACTERS = 256;
/** Drawn values of a column that are looked at. */
const VALUES_DRAWN = 48;

export interface SampleRequest {
  readonly engine: Engine;
  /** Those that may be shown. */
  readonly columns: readonly Column[];
  /** Values of them, and maybe of others, that samples are drawn from. */
  readonly values: readonly ValuesOf[];
  /** Local Parquet files, in the order of the rows. */
  readonly parts: readonly { readonly path: string; readonly rows: number }[];
  /** Of which no value is personal. */
  readonly cleared: ReadonlySet<string>;
  readonly seed: string;
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
  const shown = new Set(columns.map(({ name }) => name));
  const wanted = Math.max(1, Math.min(VALUES, Math.floor(VALUES_OF_TABLE / columns.length)));
  const values = new Map<string, readonly string[]>();
  for (const column of request.values.filter(({ name }) => shown.has(name))) {
    const drawn = column.values.slice(0, VALUES_DRAWN);
    const personal = request.cleared.has(column.name) ? [] : await personalAmong(request, column.type, drawn);
    const kept = drawn.filter((_, at) => personal[at] !== true);
    if (kept.length > 0) values.set(column.name, kept.slice(0, wanted).map(cut));
  }
  return { values, rows: await drawRows(request) };
}

/** Of each value, whether a detector of the service or of the workspace knows it. */
async function personalAmong(
  { engine, detectors, custom }: SampleRequest,
  type: string,
  values: readonly string[],
): Promise<boolean[]> {
  const personal = values.map((value) => isPersonal(value, type, detectors));
  for (const { pattern } of custom) {
    if (pattern === undefined) continue;
    const hits = await matched(engine, pattern, values).catch(() => []);
    for (const [at, hit] of hits.entries()) personal[at] ||= hit;
  }
  return personal;
}

/** Rows at places drawn by lot; one with a value that a detector knows is left out as a whole. */
async function drawRows(request: SampleRequest): Promise<Drawn['rows']> {
  const columns = request.columns.slice(0, ROW_COLUMNS);
  const kept: (string | null)[][] = [];
  for (const row of await rowsAt(request.engine, columns, placesIn(request.parts, request.seed))) {
    if (kept.length === ROWS) break;
    if (!(await holdsPersonal(request, columns, row)))
      kept.push(row.map((value) => (value === null ? null : cut(value))));
  }
  return { columns: columns.map(({ name }) => name), rows: kept };
}

interface RowPlace {
  readonly path: string;
  /** From 0, in its part. */
  readonly row: number;
}

/** Different places, in the order in which they are drawn. */
function placesIn(parts: SampleRequest['parts'], seed: string): RowPlace[] {
  const total = parts.reduce((sum, { rows }) => sum + rows, 0);
  const drawn = new Set<number>();
  for (let turn = 0; turn < ROWS_DRAWN && total > 0; turn += 1) {
    const digest = createHash('sha256').update(`${seed} ${turn}`).digest();
    drawn.add(Number(digest.readBigUInt64BE() % BigInt(total)));
  }
  return [...drawn].map((place) => {
    let row = place;
    for (const { path, rows } of parts) {
      if (row < rows) return { path, row };
      row -= rows;
    }
    throw new RangeError('a place beyond the last part');
  });
}

/** In the order of the places. */
async function rowsAt(engine: Engine, columns: readonly Column[], places: readonly RowPlace[]) {
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  const found = new Map<string, (string | null)[]>();
  for (const [path, inPart] of Map.groupBy(places, (place) => place.path)) {
    const numbers = inPart.map(({ row }) => row).join(', ');
    const rows = await engine.texts(
      `SELECT file_row_number, ${names} FROM read_parquet(${literal(path)}, hive_partitioning = false) WHERE file_row_number IN (${numbers})`,
    );
    for (const [number, ...row] of rows) found.set(`${path} ${number}`, row);
  }
  return places.map(({ path, row }) => must(found.get(`${path} ${row}`), 'a row'));
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
