// The shapes that the texts of a column have: `AB12-345` is `AA99-999`, `Kari Nordmann` is `Aa+ Aa+`. Shapes of all values where these are
// counted one by one, else of a sample of rows.
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import type { Column, ColumnPatterns } from '../reading/types.ts';

const SHAPE_CHARACTERS = 64;
const TOP_PATTERNS = 5;
/** A shape that fewer values have says nothing of a column. */
const LEAST_SHARE = 0.01;
/** Rows of the sample. */
const SAMPLE_ROWS = 10_000;
/** A sample may have as many shapes as rows. */
const COLUMNS_AT_ONCE = 16;

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const ascii = `'${CAPITALS}${CAPITALS.toLowerCase()}${DIGITS}', '${'A'.repeat(26)}${'a'.repeat(26)}${'9'.repeat(10)}'`;

/** What is neither a capital nor a digit, and no sign: small letters, letters without case, and the marks on them. */
const SMALL = '[\\p{Ll}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const replaced = (v: string, pattern: string, by: string): string => `regexp_replace(${v}, '${pattern}', '${by}', 'g')`;

/**
 * SQL of the shape of a text: a digit is 9, a capital A, a small letter a, several of them in a row a+; other characters stay. At most 64
 * characters of the text are looked at.
 */
export function shapeOf(text: string): string {
  const start = `left(${text}, ${SHAPE_CHARACTERS})`;
  const simple = replaced(`translate(${start}, ${ascii})`, 'a{2,}', 'a+');
  const classes = replaced(replaced(start, '\\p{Nd}', '9'), '\\p{Lu}', 'A');
  const any = replaced(replaced(classes, SMALL, 'a'), 'a{2,}', 'a+');
  const shape = `CASE WHEN strlen(${start}) = length(${start}) THEN ${simple} ELSE ${any} END`;
  return `(${shape} || CASE WHEN length(${text}) > ${SHAPE_CHARACTERS} THEN '…' ELSE '' END)`;
}

export const hasPatterns = ({ type }: Pick<Column, 'type'>): boolean => type === 'VARCHAR';

/** SQL of the commonest shapes of counted values, as a JSON list of shape and count; equals in their order. */
export const topShapes = (counted: string): string =>
  `SELECT to_json(list([shape, times::VARCHAR] ORDER BY times DESC, shape))::VARCHAR FROM (
     SELECT ${shapeOf('value')} AS shape, sum(times) AS times FROM ${counted}
     GROUP BY shape ORDER BY times DESC, shape LIMIT ${TOP_PATTERNS})`;

/** Those that are common, by such a list; nothing where none is. */
export function patternsIn(list: string | null | undefined, values: number): ColumnPatterns {
  const counts = JSON.parse(list ?? '[]') as (readonly [pattern: string, count: string])[];
  const shares = counts.map(([pattern, count]) => ({ pattern, share: Number(count) / values }));
  const patterns = shares.filter(({ share }) => share >= LEAST_SHARE);
  return patterns.length === 0 ? {} : { patterns };
}

/** By name of column, from a sample. The same rows give the same answer. */
export async function samplePatterns(
  engine: Engine,
  source: string,
  columns: readonly Column[],
): Promise<ReadonlyMap<string, ColumnPatterns>> {
  const found = new Map<string, ColumnPatterns>();
  for (let from = 0; from < columns.length; from += COLUMNS_AT_ONCE) {
    const some = columns.slice(from, from + COLUMNS_AT_ONCE);
    const names = some.map(({ name }) => identifier(name)).join(', ');
    const asked = some.flatMap(({ name }, place) => [
      `(${topShapes(`(SELECT ${identifier(name)} AS value, 1 AS times FROM sampled WHERE ${identifier(name)} IS NOT NULL)`)}) AS shapes_${place}`,
      `(SELECT count(${identifier(name)}) FROM sampled) AS values_${place}`,
    ]);
    const row = await engine.row(`WITH sampled AS MATERIALIZED
      (SELECT ${names} FROM ${source} USING SAMPLE reservoir(${SAMPLE_ROWS} ROWS) REPEATABLE (1)) SELECT ${asked.join(', ')}`);
    for (const [place, { name }] of some.entries()) {
      const list = row[`shapes_${place}`];
      const patterns = patternsIn(typeof list === 'string' ? list : null, Number(row[`values_${place}`]));
      found.set(name, { ...patterns, sampled: SAMPLE_ROWS });
    }
  }
  return found;
}
