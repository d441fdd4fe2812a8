import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../../lib/core/check.ts';
import { type Clock, systemClock } from '../../../lib/core/time.ts';
import { openDatabase } from '../../../lib/store/sqlite/database.ts';
import { readRow, saveJob } from '../../../lib/store/sqlite/rows.ts';
import { jobKey } from '../../../lib/store/table.ts';
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
    alterRow: async (ref, attributes) => {
      const { pk, sk } = jobKey(ref);
      const body = JSON.stringify({ ...readRow(beside, { pk, sk }), ...attributes });
      beside.sql('UPDATE items SET body = ? WHERE pk = ? AND sk = ?').run(body, pk, sk);
    },
    rawRow: async (ref) => must(readRow(beside, jobKey(ref)), 'the row'),
    close: async () => {
      store.close();
      beside.close();
      await rm(folder, { recursive: true });
    },
  };
}
