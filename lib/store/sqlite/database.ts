// The embedded store's file: the same keys as the DynamoDB table, rows as JSON, the indexes as columns, and the outbox of job
// changes written in the transaction that made them. Two processes may open one file.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreUnavailable } from '../../job/ports.ts';

const BUSY_TIMEOUT_MS = 5000;
const FORMAT = 2;

const schema = `
  CREATE TABLE IF NOT EXISTS items (
    pk TEXT NOT NULL,
    sk TEXT NOT NULL,
    body TEXT NOT NULL,
    dueShard INTEGER,
    dueAt INTEGER,
    listKey TEXT,
    createdAt INTEGER,
    expiresAt INTEGER,
    parkKey TEXT,
    deadKey TEXT,
    finishedAt INTEGER,
    PRIMARY KEY (pk, sk)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS due ON items (dueShard, dueAt, pk) WHERE dueAt IS NOT NULL;
  CREATE INDEX IF NOT EXISTS list ON items (listKey, createdAt, pk) WHERE listKey IS NOT NULL;
  CREATE INDEX IF NOT EXISTS park ON items (parkKey, createdAt, pk) WHERE parkKey IS NOT NULL;
  CREATE INDEX IF NOT EXISTS dead ON items (deadKey, finishedAt, pk) WHERE deadKey IS NOT NULL;
  CREATE INDEX IF NOT EXISTS expiry ON items (expiresAt) WHERE expiresAt IS NOT NULL;
  CREATE TABLE IF NOT EXISTS changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, before TEXT, after TEXT);
  PRAGMA user_version = ${FORMAT};
`;

/** Format 1 had no index of parked and of failed jobs; nothing was parked then, and failed jobs are entered here. */
const fromFormat1 = `
  ALTER TABLE items ADD COLUMN parkKey TEXT;
  ALTER TABLE items ADD COLUMN deadKey TEXT;
  ALTER TABLE items ADD COLUMN finishedAt INTEGER;
  UPDATE items SET
    deadKey = substr(pk, 1, length(pk) - length(substr(pk, instr(pk, '#job#')))),
    finishedAt = json_extract(body, '$.finishedAt')
  WHERE sk = 'job' AND json_extract(body, '$.status') IN ('failed', 'dead');
`;

export interface Database {
  /** One statement, prepared once. */
  sql(text: string): StatementSync;
  /** Runs a single statement that only reads. Throws as `immediate` does. */
  read<T>(work: () => T): T;
  /** Runs `work` in one immediate transaction. Throws StoreUnavailable when the file is busy, full or unreadable. */
  immediate<T>(work: () => T): T;
  close(): void;
}

/** Opens, and makes where it is missing, the file at `path`, or a database in memory for `:memory:`. */
export function openDatabase(path: string): Database {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const db = translated(() => new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS }));
  translated(() => {
    // A settled answer survives a power cut: the log is synced at each commit.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    prepareSchema(db);
  });
  const prepared = new Map<string, StatementSync>();
  return {
    sql: (text) => {
      const known = prepared.get(text) ?? db.prepare(text);
      prepared.set(text, known);
      return known;
    },
    read: translated,
    immediate: (work) => translated(() => inTransaction(db, work)),
    close: () => db.close(),
  };
}

function prepareSchema(db: DatabaseSync): void {
  const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found === FORMAT) return;
  if (found > FORMAT) throw new Error(`The data was written by a later version (format ${found}, known: ${FORMAT}).`);
  inTransaction(db, () => {
    if (found === 1) db.exec(fromFormat1);
    db.exec(schema);
  });
}

function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN: the file does not answer now, and may later. */
const passing: ReadonlySet<number> = new Set([5, 6, 10, 13, 14]);

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
    if (code !== undefined && passing.has(code))
      throw new StoreUnavailable('The data file does not answer.', { cause: error });
    throw error;
  }
}
