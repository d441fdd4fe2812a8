import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../lib/core/time.ts';
import { openDatabase } from '../../../lib/store/sqlite/database.ts';
import { saveJob } from '../../../lib/store/sqlite/rows.ts';
import { createSqliteStore, type SqliteStore } from '../../../lib/store/sqlite/store.ts';
import type { StoreHarness } from './store-harness.ts';

export interface SqliteHarness extends StoreHarness {
  readonly store: SqliteStore;
  readonly path: string;
}

/** A store on a file in a folder of its own; rows are put through a second connection. */
export async function openSqliteHarness(clock: Clock = systemClock): Promise<SqliteHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sqlite-'));
  const path = join(folder, 'data.sqlite');
  const store = createSqliteStore({ path, clock });
  const beside = openDatabase(path);
  return {
    store,
    path,
    putRow: async (row) => void beside.immediate(() => saveJob(beside, row)),
    close: async () => {
      store.close();
      beside.close();
      await rm(folder, { recursive: true });
    },
  };
}
