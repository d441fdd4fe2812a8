// Many live jobs, and one sweep of them with what it asks of the store counted: here of SQLite, in sweeping-dynamo.ts of DynamoDB.
import { seededChance } from '../../lib/core/chance.ts';
import { newId } from '../../lib/core/ids.ts';
import { silentLog } from '../../lib/core/log.ts';
import { epochMs, hours, later, minutes, systemClock } from '../../lib/core/time.ts';
import type { JobStore } from '../../lib/job/ports.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { openDatabase } from '../../lib/store/sqlite/database.ts';
import { saveJob } from '../../lib/store/sqlite/rows.ts';
import { createSqliteStore } from '../../lib/store/sqlite/store.ts';
import { aJobRow } from '../../lib/testing/builders.ts';

const now = epochMs(Date.UTC(2026, 0, 1));
export const sweepClock = { ...systemClock, now: () => now };

/** Live jobs of which the first `due` are queued and past due; the others run, wait and are delayed, each looked at later. */
export function* liveRows({ live, due }: { readonly live: number; readonly due: number }): Generator<JobRow> {
  const chance = seededChance(1);
  for (let index = 0; index < live; index++) {
    const id = newId('job', now, chance);
    const createdAt = epochMs(now - hours(1));
    const dueAt = index < due ? epochMs(now - 1000 - index) : later(now, minutes(1 + (index % 600)));
    if (index >= due && index % 3 === 0) {
      yield aJobRow({ id, createdAt, status: 'running', dueAt, leaseUntil: dueAt });
    } else yield aJobRow({ id, createdAt, dueAt });
  }
}

export function fillSqlite(path: string, what: { readonly live: number; readonly due: number }): void {
  const database = openDatabase(path);
  const batch: JobRow[] = [];
  const flush = () =>
    database.immediate(() => {
      for (const row of batch.splice(0)) saveJob(database, row);
    });
  for (const row of liveRows(what)) if (batch.push(row) === 10_000) flush();
  flush();
  database.close();
}

export interface Swept {
  readonly reads: number;
  readonly writes: number;
  readonly ms: number;
}

const reads: ReadonlySet<string | symbol> = new Set<keyof JobStore>([
  ...(['get', 'due', 'list', 'events', 'getPayload', 'getSide', 'listSides', 'parkedFor', 'deadJobs'] as const),
]);

/** Counts every call that a sweep makes of a store. */
async function countSweep(store: JobStore): Promise<Swept> {
  const counted = { reads: 0, writes: 0 };
  const watched = new Proxy(store, {
    get: (of, name) => {
      const method: unknown = Reflect.get(of, name);
      if (typeof method !== 'function') return method;
      return (...call: unknown[]): unknown => {
        counted[reads.has(name) ? 'reads' : 'writes'] += 1;
        return Reflect.apply(method, of, call);
      };
    },
  });
  const ms = await timedSweep(watched);
  return { ...counted, ms };
}

/** How long one sweep takes, ms. Throws where it left anything. */
export async function timedSweep(store: JobStore): Promise<number> {
  const engine = {
    ...{ store, clock: sweepClock, chance: seededChance(2), settings: engineDefaults, log: silentLog },
    ringer: { ring: async () => undefined, isIdle: async () => true },
    executions: { start: async () => undefined, probe: async () => 'running' as const },
    registry: { names: () => [] },
  };
  const started = performance.now();
  const { failed, unfinished } = await sweep(engine);
  if (failed + unfinished.length > 0) throw new Error(`The sweep left ${failed} rows and ${unfinished.length} shards.`);
  return performance.now() - started;
}

export async function countedSweep(path: string): Promise<Swept> {
  const store = createSqliteStore({ path, clock: sweepClock });
  try {
    return await countSweep(store);
  } finally {
    store.close();
  }
}
