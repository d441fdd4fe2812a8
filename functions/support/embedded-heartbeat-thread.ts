// The heartbeat thread of the embedded process: its own connection to the SQLite file.
import * as z from 'zod';
import { systemClock } from '../../lib/core/time.ts';
import { runHeartbeatThread } from '../../lib/job/heartbeat/heartbeat-thread.ts';
import { createSqliteStore } from '../../lib/store/sqlite/store.ts';

const dataSchema = z.object({ path: z.string() });

runHeartbeatThread((data) => createSqliteStore({ path: dataSchema.parse(data).path, clock: systemClock }));
