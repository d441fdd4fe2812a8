// Writes the Parquet file, asking every value again whether its type keeps it: a plan made from a sample is proven or
// contradicted by the write itself, in the same scan.
import { rm } from 'node:fs/promises';
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import { mergeColumns } from '../parquet/merge.ts';
import { rowGroups } from './row-groups.ts';
import { jsonRung, type Rung, textRung } from './rungs.ts';
import { columnAt, type Slice, type TextTable, typedText } from './relation.ts';
import { firstMisfits, judge, type Misfit } from './misfits.ts';

export type Written =
  | { readonly kind: 'written'; readonly rows: number }
  | { readonly kind: 'contradicted'; readonly column: number };

const MARK = 'millrace:contradicted:';
const SHOWN_CHARACTERS = 100;

/** What a column needs to be written: its value worked out once, then the proof that looks at text and value. */
interface Cell {
  readonly inner: string;
  readonly outer: string;
}

function cellOf(table: TextTable, rung: Rung, index: number): Cell {
  const name = identifier(table.columns[index]?.name ?? '');
  if (rung === textRung) return { inner: columnAt(index), outer: `${columnAt(index)} AS ${name}` };
  const [text, value] = [`v_${index}`, `t_${index}`];
  const inner = `${typedText(table, index)} AS ${text}, ${rung.value(typedText(table, index))} AS ${value}`;
  if (rung === jsonRung) return { inner, outer: `${value} AS ${name}` };
  const otherwise = table.columns[index]?.forced?.onMisfit === 'null' ? 'NULL' : `error('${MARK}${index}')`;
  const outer = `CASE WHEN ${rung.holds(text, value)} THEN ${value} WHEN ${text} IS NULL THEN NULL
    ELSE ${otherwise} END AS ${name}`;
  return { inner, outer };
}

/**
 * Throws the Fault VALUE_MISFIT where the type of the column is the caller's word, with the first value of all such columns that does not
 * fit: which one the write met first is a matter of chance.
 */
async function refuseMisfit(engine: Engine, table: TextTable, rungs: readonly Rung[], column: number): Promise<void> {
  if (table.columns[column]?.forced === undefined) return;
  const asked = [...rungs].flatMap((rung, index) =>
    table.columns[index]?.forced?.onMisfit === 'refuse' ? [{ index, rung }] : [],
  );
  const [found] = await firstMisfits(engine, await judge(engine, table, table.all, asked), 1);
  if (found !== undefined) throw await misfitFault(table, found);
}

async function misfitFault(table: TextTable, { row: place, index, value: text }: Misfit): Promise<Fault> {
  const value = text.slice(0, SHOWN_CHARACTERS);
  const { name, type } = { name: table.columns[index]?.name ?? '', type: table.columns[index]?.forced?.type ?? '' };
  const { before = { rows: 0, lines: 0 } } = table;
  const [lineHere] = (await table.linesOf?.([place])) ?? [];
  const row = before.rows + place;
  const line = lineHere === undefined ? undefined : before.lines + lineHere;
  const file = table.fileOf?.(place);
  const at = `row ${row}${line === undefined ? '' : ` (line ${line})`}`;
  const where = `${file === undefined ? '' : `In ${JSON.stringify(file)}: `}Column ${JSON.stringify(name)}, ${at}`;
  const said = { row, ...(line !== undefined && { line }), ...(file !== undefined && { file }) };
  // Loaded when it is needed: most files are taken.
  const { isQuotable } = await import('../pii/quotable.ts');
  const shown = isQuotable(text);
  const what = shown ? JSON.stringify(value) : 'a value that may be personal data';
  return new Fault('VALUE_MISFIT', `${where}: ${what} is no ${type}.`, {
    extra: { column: name, ...said, type, ...(shown && { value }) },
  });
}

/**
 * Writes all rows with these types, or says which column holds a value that its type would not keep. Throws the Fault VALUE_MISFIT.
 */
export async function writeTyped(
  engine: Engine,
  table: TextTable,
  rungs: readonly Rung[],
  target: string,
): Promise<Written> {
  try {
    const [slice, ...others] = table.all;
    if (slice !== undefined && others.length === 0)
      return { kind: 'written', rows: await writeSlice(engine, table, rungs, slice, target) };
    return { kind: 'written', rows: await writeSlices(engine, table, rungs, target) };
  } catch (thrown) {
    const column = new RegExp(`${MARK}(\\d+)`).exec(asError(thrown).message)?.[1];
    if (column === undefined) throw thrown;
    await refuseMisfit(engine, table, rungs, Number(column));
    return { kind: 'contradicted', column: Number(column) };
  }
}

async function writeSlice(
  engine: Engine,
  table: TextTable,
  rungs: readonly Rung[],
  { from, first, columns }: Slice,
  target: string,
): Promise<number> {
  const cells = rungs.slice(first, first + columns).map((rung, place) => cellOf(table, rung, first + place));
  const inner = `(SELECT ${cells.map((cell) => cell.inner).join(', ')} FROM ${from})`;
  const groups = await rowGroups(engine, table.all, { ...table, columns: table.columns.length });
  const { Count } = await engine.row(
    `COPY (SELECT ${cells.map((cell) => cell.outer).join(',\n')} FROM ${inner}) TO ${literal(target)} (FORMAT parquet, COMPRESSION snappy, ${groups})`,
  );
  return Number(Count);
}

/** A file a slice, put together in the end: their rows are the same, so their row groups are. */
async function writeSlices(engine: Engine, table: TextTable, rungs: readonly Rung[], target: string): Promise<number> {
  const paths: string[] = [];
  const counts = new Set<number>();
  try {
    for (const [place, slice] of table.all.entries()) {
      const path = `${target}-${place}`;
      paths.push(path);
      counts.add(await writeSlice(engine, table, rungs, slice, path));
    }
    const [rows = 0, ...others] = counts;
    if (others.length > 0) throw new Fault('INTERNAL', 'The slices of a table have other numbers of rows.');
    await mergeColumns(paths, target);
    return rows;
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}
