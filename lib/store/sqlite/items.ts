// `Items` over the embedded store.
import * as z from 'zod';
import type { Items } from '../items.ts';
import type { Database } from './database.ts';
import { parseBody, readRow, saveRow } from './rows.ts';

/** Higher than every code unit that keys hold, so that a prefix and it bound a range. */
const LAST = '\u{10ffff}';

const ascending = 'SELECT sk, body FROM items WHERE pk = ? AND sk > ? AND sk < ? ORDER BY sk LIMIT ?';
const descending = 'SELECT sk, body FROM items WHERE pk = ? AND sk > ? AND sk < ? ORDER BY sk DESC LIMIT ?';

export const createSqliteItems = (db: Database): Items => ({
  get: async (key) => db.read(() => readRow(db, key)),
  put: async ({ key, attributes }) => db.immediate(() => saveRow(db, key, attributes)),
  remove: async ({ pk, sk }) => {
    db.immediate(() => db.sql('DELETE FROM items WHERE pk = ? AND sk = ?').run(pk, sk));
  },
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
  page: async ({ pk, prefix }, { limit, after, order }) => {
    const [from, to] = order === 'ascending' ? [after ?? prefix, prefix + LAST] : [prefix, after ?? prefix + LAST];
    const statement = db.sql(order === 'ascending' ? ascending : descending);
    const found = db.read(() => statement.all(pk, from, to, limit + 1));
    const entries = found.slice(0, limit).map((row) => ({
      key: { pk, sk: z.string().parse(row['sk']) },
      attributes: parseBody(row['body']),
    }));
    return { entries, more: found.length > limit };
  },
  draw: async (key, counter, fresh) =>
    db.immediate(() => {
      const row = readRow(db, key) ?? fresh;
      const drawn = Number(row[counter] ?? 0) + 1;
      saveRow(db, key, { ...row, [counter]: drawn });
      return drawn;
    }),
});
