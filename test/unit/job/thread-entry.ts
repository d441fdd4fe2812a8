// The heartbeat thread of heartbeat-thread.test.ts: its own connection to the test's SQLite file. Given no path, it dies at its start.
import * as z from 'zod';
import { systemClock } from '../../../lib/core/time.ts';
import { runHeartbeatThread } from '../../../lib/job/heartbeat/heartbeat-thread.ts';
import { createSqliteStore } from '../../../lib/store/sqlite/store.ts';

runHeartbeatThread((data) =>
  createSqliteStore({ path: z.object({ path: z.string() }).parse(data).path, clock: systemClock }),
);
