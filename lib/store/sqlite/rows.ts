// Reading and writing single rows of the embedded store; callers hold the transaction.
import type { SQLOutputValue } from 'node:sqlite';
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { type JobRow, parseJobRow, refOf } from '../../job/row.ts';
import type { Row } from '../../rule/rule.ts';
import type { Attributes } from '../items.ts';
import { indexKeysOf } from '../job-item.ts';
import { withinLimit } from '../limits.ts';
import { jobKey, type Key } from '../table.ts';
import type { Database } from './database.ts';

const attributesSchema = z.record(z.string(), z.unknown());

/** The attributes in a `body` column. Throws Fault ROW_UNREADABLE where it holds none. */
export function parseBody(body: SQLOutputValue | undefined): Attributes {
  try {
    return attributesSchema.parse(JSON.parse(z.string().parse(body)));
  } catch (cause) {
    throw new Fault('ROW_UNREADABLE', 'A row of the data file holds no attributes.', { cause });
  }
}

export function readRow(db: Database, key: Key): Attributes | undefined {
  const found = db.sql('SELECT body FROM items WHERE pk = ? AND sk = ?').get(key.pk, key.sk);
  return found === undefined ? undefined : parseBody(found['body']);
}

interface IndexColumns {
  readonly dueShard?: number;
  readonly dueAt?: number | undefined;
  readonly listKey?: string;
  readonly createdAt?: number;
  readonly parkKey?: string | undefined;
  readonly deadKey?: string | undefined;
  readonly finishedAt?: number | undefined;
}

export function saveRow(db: Database, key: Key, attributes: Attributes, index: IndexColumns = {}): void {
  withinLimit({ ...key, ...attributes });
  db.sql(
    `INSERT OR REPLACE INTO items
       (pk, sk, body, dueShard, dueAt, listKey, createdAt, expiresAt, parkKey, deadKey, finishedAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    key.pk,
    key.sk,
    JSON.stringify(attributes),
    index.dueShard ?? null,
    index.dueAt ?? null,
    index.listKey ?? null,
    index.createdAt ?? null,
    typeof attributes['expiresAt'] === 'number' ? attributes['expiresAt'] : null,
    index.parkKey ?? null,
    index.deadKey ?? null,
    index.finishedAt ?? null,
  );
}

/** Writes a job's row with its index columns, and answers it as it will be read. */
export function saveJob(db: Database, next: Row): JobRow {
  const row = parseJobRow(JSON.parse(JSON.stringify(next)));
  const { dueAt, createdAt, finishedAt } = row;
  saveRow(db, jobKey(refOf(row)), row, { ...indexKeysOf(row), dueAt, createdAt, finishedAt });
  return row;
}

export function readJob(db: Database, key: Key): JobRow | undefined {
  const found = readRow(db, key);
  return found === undefined ? undefined : parseJobRow(found);
}
