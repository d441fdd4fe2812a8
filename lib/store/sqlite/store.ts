// The embedded store: everything the service keeps, in one SQLite file. The same rules and the same keys as in DynamoDB.
import type { Documents } from '../../core/documents.ts';
import type { Clock, EpochMs } from '../../core/time.ts';
import type { ApiKeys } from '../../http/keys.ts';
import type { Catalog } from '../../ingest/catalog.ts';
import type { JobStore } from '../../job/ports.ts';
import { createBeside } from '../beside.ts';
import { createApiKeys } from '../api-keys.ts';
import { createCatalog } from '../catalog.ts';
import { createDocuments } from '../documents.ts';
import { createSideReads } from '../sides.ts';
import { openDatabase } from './database.ts';
import { purgeExpired } from './expiry.ts';
import { createSqliteItems } from './items.ts';
import { createSqliteJobs } from './jobs.ts';
import { type ChangeLog, createChangeLog } from './changes.ts';
import { type ChangeSignal, signalling } from './signal.ts';

export type SqliteStore = JobStore &
  Catalog &
  Documents &
  ApiKeys &
  ChangeLog &
  ChangeSignal & {
    /** Removes rows whose `expiresAt` has passed, as DynamoDB's time to live does; answers how many. */
    purgeExpired(now: EpochMs): Promise<number>;
    close(): void;
  };

/**
 * Opens the store at `path`, or one in memory for `:memory:`. Throws StoreUnavailable when the file cannot be opened.
 *
 * @example
 * const store = createSqliteStore({ path: '.millrace/data.sqlite', clock: systemClock });
 */
export function createSqliteStore({ path, clock }: { readonly path: string; readonly clock: Clock }): SqliteStore {
  const db = openDatabase(path);
  const items = createSqliteItems(db);
  const [jobs, beside] = [createSqliteJobs(db, clock), createBeside(items)];
  return {
    ...jobs,
    ...beside,
    ...signalling({ ...jobs, ...beside }),
    ...createSideReads(items),
    ...createCatalog(items),
    ...createDocuments(items),
    ...createApiKeys(items),
    ...createChangeLog(db),
    purgeExpired: async (now) => purgeExpired(db, now),
    close: () => db.close(),
  };
}
