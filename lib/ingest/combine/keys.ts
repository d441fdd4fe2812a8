// The columns that say which row is which: a row that is added takes the place of the one with the same key. The keys of the added rows stand
// in a table of the engine, so that they are read once, whatever there is to compare them with.
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier } from '../engine/sql.ts';
import { numberedRows } from '../parquet/numbered-rows.ts';
import { sameName } from '../reading/names.ts';
import type { Column } from '../reading/types.ts';
import { columnsByName } from './columns.ts';
import type { Keep, LocalPart, Side } from './side.ts';

/** Whether rows of the table give way to added ones. */
export interface Match {
  /** How many rows of a part do; of those, `NOT_GONE` is true of the others, until the next part is asked about. */
  readonly goneIn: (part: LocalPart) => Promise<number>;
}

const KEYS = 'added_keys';
const GONE = 'gone_rows';
const VERDICTS = 'verdicts';

/** What stands behind a part `o` in FROM, and then in WHERE. */
export const WITH_VERDICTS = `POSITIONAL JOIN ${VERDICTS} v`;
export const NOT_GONE = 'NOT v.gone';

/** Faults: KEY_INVALID for a key that a side lacks, and where a key does not name one of the added rows. */
export async function matchKeys(
  engine: Engine,
  { before, added, keep }: { readonly before: Side; readonly added: Side; readonly keep: Keep },
  keys: readonly string[],
): Promise<Match> {
  const fresh = keysOf(added, keys, 'the file');
  const old = keysOf(before, keys, 'the table');
  let gathered: Promise<void> | undefined;
  const gather = () => (gathered ??= gatherKeys(engine, added, fresh));
  await keep('keys', async () => {
    await gather();
    await requireKeys(engine, fresh.length, 'the file');
    return true;
  });
  const equal = old.map(({ name }, at) => `o.${identifier(name)} = a.${keyAt(at)}`).join(' AND ');
  return {
    goneIn: async ({ path, rows }) => {
      await gather();
      const { from, number } = numberedRows(path, before.columns);
      await engine.run(`CREATE OR REPLACE TABLE ${GONE} AS
        SELECT o.${identifier(number)} AS place FROM ${from} o SEMI JOIN ${KEYS} a ON ${equal}`);
      const gone = Number((await engine.row(`SELECT count(*) AS n FROM ${GONE}`))['n']);
      // Joined by their places: what comes out of a join by keys is in no order.
      if (gone > 0)
        await engine.run(`CREATE OR REPLACE TABLE ${VERDICTS} AS
          SELECT g.place IS NOT NULL AS gone FROM range(${rows}) r(place) LEFT JOIN ${GONE} g ON g.place = r.place ORDER BY r.place`);
      return gone;
    },
  };
}

const keyAt = (at: number): string => `key_${at}`;

/** The keys as the side has them. Throws the Fault KEY_INVALID for one that is not there. */
function keysOf(side: Side, keys: readonly string[], what: string): Column[] {
  const columns = columnsByName(side.columns);
  return keys.map((key) => {
    const column = columns.get(sameName(key));
    if (column !== undefined) return column;
    throw new Fault('KEY_INVALID', `The key column ${JSON.stringify(key)} is not in ${what}.`, {
      extra: { column: key },
    });
  });
}

async function gatherKeys(engine: Engine, { each }: Side, keys: readonly Column[]): Promise<void> {
  const typed = keys.map(({ type }, at) => `CAST(NULL AS ${type}) AS ${keyAt(at)}`).join(', ');
  const named = keys.map(({ name }, at) => `${identifier(name)} AS ${keyAt(at)}`).join(', ');
  await engine.run(`CREATE OR REPLACE TABLE ${KEYS} AS SELECT ${typed} WHERE false`);
  await each((source) => engine.run(`INSERT INTO ${KEYS} SELECT ${named} FROM ${source}`));
}

/** Throws the Fault KEY_INVALID where a row has no value in a key column, or two rows have the same key. */
async function requireKeys(engine: Engine, count: number, what: string): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => keyAt(at));
  const missing = names.map((name) => `${name} IS NULL`).join(' OR ');
  const { nulls } = await engine.row(`SELECT count(*) FILTER (${missing}) AS nulls FROM ${KEYS}`);
  if (Number(nulls) > 0)
    throw new Fault('KEY_INVALID', `${Number(nulls)} rows of ${what} have no value in a key column.`, {
      extra: { rows: Number(nulls) },
    });
  const [repeated] = await engine.texts(
    `SELECT count(*) FROM ${KEYS} GROUP BY ${names.join(', ')} HAVING count(*) > 1 ORDER BY 1 DESC LIMIT 1`,
  );
  if (repeated !== undefined)
    throw new Fault('KEY_INVALID', `${repeated[0]} rows of ${what} have the same key; a key names one row.`);
}
