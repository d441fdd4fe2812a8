// Rows of text from several files as if they stood in one: a column of each name, typed by the values of all.
import { join } from 'node:path';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { sourceOf } from '../combine/side.ts';
import type { Engine } from '../engine/engine.ts';
import { literal } from '../engine/sql.ts';
import type { ReadOptions } from '../options.ts';
import { askedColumns } from '../typing/asked-columns.ts';
import { columnAt, type Rows, type Slice, sliceOf, type TextTable } from '../typing/relation.ts';
import { rowGroups } from '../typing/row-groups.ts';
import { warn } from '../warnings.ts';
import { badCellsOf, badOf } from './bad-pieces.ts';
import { type Agreed, agree } from './families.ts';
import { type InTable, namesOf, selectSlice, slicesOf } from './in-table.ts';
import { hasEmpty } from './empty-texts.ts';
import type { TextPiece } from './pieces.ts';

export interface United {
  readonly table: TextTable;
  /** Of each piece, by the place of its own columns: the places of theirs in the table. */
  readonly places: readonly (readonly number[])[];
  readonly warnings: readonly Warning[];
}

interface Asked {
  readonly options: ReadOptions;
  readonly maxColumns: number;
  /** An existing folder. */
  readonly workDir: string;
  /** The name of a column that holds the name of the file. */
  readonly fileColumn?: string | undefined;
}

/** Rows stand in the order of the pieces. Faults: TOO_MANY_COLUMNS, OPTION_MISFIT. */
export async function uniteTexts(engine: Engine, pieces: readonly TextPiece[], asked: Asked): Promise<United> {
  const { names, places } = namesOf(
    pieces.map(({ prepared }) => prepared.table.columns),
    asked.maxColumns,
  );
  const agreed: Agreed[] = [];
  for (const place of names.keys()) agreed.push(await familyAt(engine, pieces, places, place));
  const columns = askedColumns(names, asked.options, (place) => must(agreed[place], 'a family').family);
  const tables = pieces.map(({ prepared }) => prepared.table);
  const texts = await writeTexts(engine, pieces, places, { ...asked, count: names.length });
  const named = asked.fileColumn === undefined ? [] : [{ name: asked.fileColumn, family: 'verbatim' as const }];
  const table: TextTable = {
    ...texts,
    sampleIsAll: tables.every(({ sampleIsAll }) => sampleIsAll),
    columns: [...columns, ...named],
    rows: sum(tables.map(({ rows }) => rows)),
    bytes: sum(tables.map(({ bytes }) => bytes)),
    emptyIsNull: await isEmptyNull(engine, tables),
    dateOrder: asked.options.dateOrder,
    bad: badOf(pieces),
    badCells: badCellsOf(pieces, (piece, column) => names[places[piece]?.[column] ?? -1] ?? ''),
    fileOf: (row) => pieceAt(pieces, row).piece.file,
    files: pieces.map(({ file }) => file),
    ...(tables.every(({ linesOf }) => linesOf !== undefined) && { linesOf: (rows) => linesOf(pieces, rows) }),
  };
  const warnings = agreed.flatMap(({ mixed }, place) =>
    mixed === undefined ? [] : [warn('MIXED_JSON_TYPES', { column: names[place], detail: `They are ${mixed}` })],
  );
  return { table, places, warnings };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Of a column without a value no file knows what it holds; it is only asked where files differ. */
async function familyAt(
  engine: Engine,
  pieces: readonly TextPiece[],
  places: readonly (readonly number[])[],
  place: number,
) {
  const having = pieces.flatMap(({ file, prepared: { table } }, at) => {
    const own = must(places[at], 'places').indexOf(place);
    return own < 0 ? [] : [{ file, family: must(table.columns[own], 'a column').family, own, all: table.all }];
  });
  if (new Set(having.map(({ family }) => family)).size === 1) return agree(having);
  const present = [];
  for (const one of having) {
    const { values } = await engine.row(
      `SELECT count(${columnAt(one.own)}) AS "values" FROM ${sliceOf(one.all, one.own).from}`,
    );
    if (Number(values) > 0) present.push(one);
  }
  return agree(present);
}

type Texts = Pick<TextTable, 'all' | 'sample'>;

/**
 * Each file is written out with the columns of all, as texts: a statement about a union of hundreds of files takes longer to plan than to run, and
 * typing asks for the rows several times.
 */
async function writeTexts(
  engine: Engine,
  pieces: readonly TextPiece[],
  places: readonly (readonly number[])[],
  { fileColumn, workDir, count }: Pick<Asked, 'fileColumn' | 'workDir'> & { readonly count: number },
): Promise<Texts> {
  const within = (file: string, at: number): InTable => ({
    ...{ places: must(places[at], 'places'), count },
    ...(fileColumn !== undefined && { file }),
  });
  const slices = slicesOf({ places: [], count, file: fileColumn });
  const texts: { all: Slice[]; sample: Slice[] } = { all: [], sample: [] };
  const long = pieces.some(({ prepared }) => prepared.table.all.some((slice) => slice.long));
  for (const [number, slice] of slices.entries()) {
    const paths: { all: string; sample: string }[] = [];
    for (const [at, { file, prepared }] of pieces.entries()) {
      const written = (of: keyof Texts) => join(workDir, `texts-${of}-${number}-${at}.parquet`);
      paths.push(await writePiece(engine, prepared.table, { within: within(file, at), slice }, written));
    }
    for (const kind of ['all', 'sample'] as const)
      texts[kind].push({ ...slice, long, from: sourceOf(paths.map((path) => ({ path: path[kind] }))) });
  }
  return texts;
}

/** Some columns of the table. */
interface InSlice {
  readonly within: InTable;
  readonly slice: Omit<Slice, 'from'>;
}

async function writePiece(
  engine: Engine,
  table: TextTable,
  columns: InSlice,
  pathOf: (of: keyof Texts) => string,
): Promise<{ all: string; sample: string }> {
  const all = pathOf('all');
  const written = await copyTexts(engine, table, columns, { rows: table.all, target: all });
  if (written !== table.rows) throw new Fault('INTERNAL', `${table.rows} rows were counted, ${written} were written.`);
  if (table.sampleIsAll) return { all, sample: all };
  const sample = pathOf('sample');
  await copyTexts(engine, table, columns, { rows: table.sample, target: sample });
  return { all, sample };
}

/** Writes rows of a file as Parquet, and answers how many there are. */
export async function copyTexts(
  engine: Engine,
  { rows, bytes }: Pick<TextTable, 'rows' | 'bytes'>,
  { within, slice }: InSlice,
  { rows: slices, target }: { readonly rows: Rows; readonly target: string },
): Promise<number> {
  const groups = await rowGroups(engine, slices, { rows, bytes, columns: slice.columns });
  const options = `FORMAT parquet, COMPRESSION snappy, ${groups}`;
  const copied = await engine.row(`COPY (${selectSlice(slices, within, slice)}) TO ${literal(target)} (${options})`);
  return Number(copied['Count']);
}

/** A file that quotes every field has no other way to say NULL; where another file has empty texts that are none, all are kept. */
async function isEmptyNull(engine: Engine, tables: readonly TextTable[]): Promise<boolean> {
  if (!tables.some(({ emptyIsNull }) => emptyIsNull)) return false;
  for (const { emptyIsNull, all, columns } of tables)
    if (!emptyIsNull && (await hasEmpty(engine, all, [...columns.keys()]))) return false;
  return true;
}

/** The piece that a row of the table is in, and how many rows stand before it. */
function pieceAt(pieces: readonly TextPiece[], row: number): { readonly piece: TextPiece; readonly before: number } {
  let before = 0;
  for (const piece of pieces) {
    const { rows } = piece.prepared.table;
    if (row <= before + rows) return { piece, before };
    before += rows;
  }
  throw new TypeError(`There is no row ${row}.`);
}

/** Lines of the files that the rows are in; `rows` rise. */
async function linesOf(pieces: readonly TextPiece[], rows: readonly number[]): Promise<number[]> {
  const byPiece = new Map<TextPiece, number[]>();
  for (const row of rows) {
    const { piece, before } = pieceAt(pieces, row);
    byPiece.set(piece, [...(byPiece.get(piece) ?? []), row - before]);
  }
  const lines: number[] = [];
  for (const [{ prepared }, own] of byPiece) lines.push(...((await prepared.table.linesOf?.(own)) ?? []));
  return lines;
}
