// The columns that say which row is which: a row that is added takes the place of the one with the same key.
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import { sameName } from '../reading/names.ts';
import { type Side, columnsByName } from './columns.ts';

/** The names of the keys as the side has them. Throws the Fault KEY_INVALID for one that is not there. */
export function keysOf(side: Side, keys: readonly string[], what: string): string[] {
  const columns = columnsByName(side.columns);
  return keys.map((key) => {
    const column = columns.get(sameName(key));
    if (column !== undefined) return column.name;
    throw new Fault('KEY_INVALID', `The key column ${JSON.stringify(key)} is not in ${what}.`, {
      extra: { column: key },
    });
  });
}

/** Throws the Fault KEY_INVALID where a row of the side has no value in a key column, or two rows have the same key. */
export async function requireKeys(
  engine: Engine,
  { source }: Side,
  keys: readonly string[],
  what: string,
): Promise<void> {
  const names = keys.map(identifier);
  const missing = names.map((name) => `${name} IS NULL`).join(' OR ');
  const { nulls } = await engine.row(`SELECT count(*) FILTER (${missing}) AS nulls FROM ${source}`);
  if (Number(nulls) > 0)
    throw new Fault('KEY_INVALID', `${Number(nulls)} rows of ${what} have no value in a key column.`, {
      extra: { rows: Number(nulls) },
    });
  const [repeated] = await engine.texts(
    `SELECT count(*) FROM ${source} GROUP BY ${names.join(', ')} HAVING count(*) > 1 ORDER BY 1 DESC LIMIT 1`,
  );
  if (repeated !== undefined)
    throw new Fault('KEY_INVALID', `${repeated[0]} rows of ${what} have the same key; a key names one row.`);
}
