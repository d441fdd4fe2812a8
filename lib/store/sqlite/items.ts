// `Items` over the embedded store.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { readCursor, writeCursor } from '../cursor.ts';
import type { Attributes, Change, Items, Walked } from '../items.ts';
import type { Key } from '../table.ts';
import type { Database } from './database.ts';
import { parseBody, readRow, saveRow } from './rows.ts';
import { addTally } from './tally.ts';

/** Higher than every code unit that keys hold, so that a prefix and it bound a range. */
const LAST = '\u{10ffff}';

/** From a key on, which the range holds unless the page before ended there. */
const range = 'SELECT sk, body FROM items WHERE pk = ? AND sk >= ? AND sk < ? AND sk <> ? ORDER BY sk';
/** Rows of all partitions from a key on. */
const behind = 'SELECT pk, sk, body FROM items WHERE (pk, sk) > (?, ?) AND pk < ? ORDER BY pk, sk LIMIT ?';
const AT_ONCE = 500;
const keySchema = z.object({ pk: z.string(), sk: z.string() });

const ascending = `${range} LIMIT ?`;
const descending = `${range} DESC LIMIT ?`;

/** The row, where it has the values of `test`. */
function standing(db: Database, key: Key, test: Attributes): Attributes | undefined {
  const row = readRow(db, key);
  if (row === undefined) return undefined;
  // As they are stored: what is undefined is not there.
  const wanted = JSON.parse(JSON.stringify(test)) as Attributes;
  return Object.keys(test).every((name) => isDeepStrictEqual(row[name], wanted[name])) ? row : undefined;
}

const removeRow = (db: Database, { pk, sk }: Key): void =>
  void db.sql('DELETE FROM items WHERE pk = ? AND sk = ?').run(pk, sk);

function applyChange(db: Database, { key, set, removes }: Change): void {
  if (removes === true) removeRow(db, key);
  else if (set !== undefined) saveRow(db, key, { ...readRow(db, key), ...set });
}

const conditional = (db: Database): Pick<Items, 'change' | 'removeWhere'> => ({
  change: async (...changes) =>
    db.immediate(() => {
      if (changes.some(({ key, test }) => standing(db, key, test) === undefined)) return 'refused';
      for (const each of changes) applyChange(db, each);
      return 'changed';
    }),
  removeWhere: async (key, test) =>
    db.immediate(() => {
      if (standing(db, key, test) === undefined) return 'refused';
      removeRow(db, key);
      return 'removed';
    }),
});

function walkRows(db: Database, prefix: string, after?: string): Walked {
  const last = after === undefined ? { pk: prefix, sk: '' } : readCursor(keySchema, after);
  const found = db.read(() => db.sql(behind).all(last.pk, last.sk, prefix + LAST, AT_ONCE));
  const entries = found.map(({ body, ...key }) => ({ key: keySchema.parse(key), attributes: parseBody(body) }));
  const end = entries.at(-1)?.key;
  return { entries, ...(entries.length === AT_ONCE && end !== undefined && { after: writeCursor(end) }) };
}

export const createSqliteItems = (db: Database): Items => ({
  get: async (key) => db.read(() => readRow(db, key)),
  put: async ({ key, attributes }) => db.immediate(() => saveRow(db, key, attributes)),
  remove: async (key) => db.immediate(() => removeRow(db, key)),
  ...conditional(db),
  putNew: async (...entries) =>
    db.immediate(() => {
      if (entries.some(({ key }) => readRow(db, key) !== undefined)) return 'exists';
      for (const { key, attributes } of entries) saveRow(db, key, attributes);
      return 'created';
    }),
  putEachNew: async (entries) =>
    db.immediate(() =>
      entries.map(({ key, attributes }) => {
        if (readRow(db, key) !== undefined) return 'exists';
        saveRow(db, key, attributes);
        return 'created';
      }),
    ),
  count: async (tally, { put = [], changes = [] }) =>
    db.immediate(() => {
      if (put.some(({ key }) => readRow(db, key) !== undefined)) return 'refused';
      if (changes.some(({ key, test }) => standing(db, key, test) === undefined)) return 'refused';
      const counted = addTally(db, tally);
      if (counted !== 'counted') return counted;
      for (const { key, attributes } of put) saveRow(db, key, attributes);
      for (const each of changes) applyChange(db, each);
      return 'counted';
    }),
  page: async ({ pk, prefix }, { limit, after, order }) => {
    const [from, to] = order === 'ascending' ? [after ?? prefix, prefix + LAST] : [prefix, after ?? prefix + LAST];
    const statement = db.sql(order === 'ascending' ? ascending : descending);
    const found = db.read(() => statement.all(pk, from, to, after ?? '', limit + 1));
    const entries = found.slice(0, limit).map((row) => ({
      key: { pk, sk: z.string().parse(row['sk']) },
      attributes: parseBody(row['body']),
    }));
    return { entries, more: found.length > limit };
  },
  walk: async (prefix, after) => walkRows(db, prefix, after),
  draw: async (key, counter, fresh, unless) =>
    db.immediate(() => {
      const row: Attributes = { ...fresh, ...readRow(db, key) };
      if (row[unless] !== undefined) return 'refused';
      const drawn = Number(row[counter] ?? 0) + 1;
      saveRow(db, key, { ...row, [counter]: drawn });
      return drawn;
    }),
});
