// What DuckDB's reading of a Parquet file would lose, column by column.
import type { DuckDBType } from '@duckdb/node-api';
import { must } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import type { Column } from '../reading/types.ts';
import { warn } from '../warnings.ts';
import { anyWithin, leavesIn, rebuilt } from './each-leaf.ts';
import type { InexactLeaves } from './inexact.ts';
import type { Loss } from './loss.ts';
import { numberedRows } from './numbered-rows.ts';
import { defineTexts, type Reading, readingOf } from './readings.ts';

const SHOWN_CHARACTERS = 100;

/** A map with a key twice is none to DuckDB, and no object to who asks for it; as JSON text it has both. */
const repeatsKey = (map: string): string => `len(list_distinct(map_keys(${map}))) < cardinality(${map})`;

interface LosingColumn {
  readonly column: Pick<Column, 'name'>;
  /** They are text whatever they hold. */
  readonly hasDecimals: boolean;
}

/** A column with leaves of this kind or with maps, and what is to be done with it. */
export interface Affected extends LosingColumn {
  readonly column: Column;
  readonly loses: string;
  readonly asRead: string;
  readonly asText: string;
}

function affected(columns: readonly Column[], types: readonly DuckDBType[], { leaves, count }: InexactLeaves) {
  let first = 0;
  const each = columns.map((column, place): Affected | undefined => {
    const type = must(types[place], 'a type');
    const value = identifier(column.name);
    const from = first;
    first += leavesIn(type);
    const of = (make: keyof Reading) => (leafValue: string, leaf: number) => {
      const found = leaves.get(leaf);
      return found && readingOf(found)[make](leafValue);
    };
    const loses = anyWithin(type, value, from, { leaf: of('loses'), map: repeatsKey });
    if (loses === undefined) return undefined;
    const asRead = rebuilt(type, value, from, of('asRead')) ?? value;
    const asText = rebuilt(type, value, from, of('asText')) ?? `to_json(${value})::VARCHAR`;
    const kinds = [...leaves].filter(([leaf]) => leaf >= from && leaf < first).map(([, { kind }]) => kind);
    return { column, loses, asRead, asText, hasDecimals: kinds.includes('decimal') };
  });
  if (first === count || leaves.size === 0) return each;
  throw new Fault(
    'UNSUPPORTED_SCHEMA',
    'A column is nested in a way that is not read beside times in nanoseconds or long decimals.',
  );
}

/** A Parquet file in which DuckDB reads what is stored. */
export interface Plain {
  /** A plain copy, or the file itself where it has no leaves of this kind. */
  readonly path: string;
  readonly columns: readonly Column[];
  readonly leaves: InexactLeaves;
}

/** The columns of which something may be lost, in their places. Throws the Fault UNSUPPORTED_SCHEMA. */
export const affectedColumns = async (engine: Engine, { path, columns, leaves }: Plain) =>
  affected(columns, await engine.types(`FROM read_parquet(${literal(path)})`), leaves);

/** What each column would lose, in the same places. A text is made of the first value alone: making it takes longer than the question. */
export async function findLosses(
  engine: Engine,
  { path, columns: of, leaves }: Plain,
  columns: readonly (Affected | undefined)[],
): Promise<(Loss | undefined)[]> {
  if (columns.every((column) => column === undefined)) return [];
  defineTexts(engine, leaves);
  const { from, number } = numberedRows(path, of);
  const asked = columns.flatMap((column) =>
    column === undefined ? ['0', 'NULL'] : [`count_if(${column.loses})`, `min(${number}) FILTER (${column.loses})`],
  );
  const [found = []] = await engine.texts(`SELECT ${asked.join(', ')} FROM ${from}`);
  const losses: (Loss | undefined)[] = [];
  for (const [place, column] of columns.entries()) {
    const [count, row] = [Number(found[2 * place]), Number(found[2 * place + 1])];
    const [[example = null] = []] =
      column === undefined || count === 0
        ? []
        : await engine.texts(`SELECT ${column.asText} FROM ${from} WHERE ${number} = ${row}`);
    losses.push(count === 0 ? undefined : { count, row: row + 1, example: example && shown(example) });
  }
  return losses;
}

const shown = (text: string): string => text.slice(0, SHOWN_CHARACTERS);

/** Why a column is text; undefined where it need not be. */
export function lossWarning(
  { column: { name: column }, hasDecimals }: LosingColumn,
  loss: Loss | undefined,
): Warning | undefined {
  if (hasDecimals) return warn('TYPE_AS_TEXT', { column, detail: 'They are decimals of more than 38 digits.' });
  if (loss === undefined) return undefined;
  const { count, row, example } = loss;
  return warn('TYPE_AS_TEXT', { column, row, count, ...(example !== null && { example }) });
}
