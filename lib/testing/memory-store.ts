// A JobStore in memory, through `decide` and the rule table like every other: for tests, and under the simulation.
import type { JobRef } from '../core/ids.ts';
import type { JobEvent, JobStore } from '../job/ports.ts';
import { type JobRow, parseJobRow } from '../job/row.ts';
import { createReads } from './memory/reads.ts';
import { keyOf, type MemoryChange, shardOf, type MemoryStoreOptions, type State } from './memory/state.ts';
import { apply, publishAll, putEvent, transact, writeSide } from './memory/writes.ts';

export interface MemoryStore extends JobStore {
  /** Every applied write, in order. */
  readonly changes: readonly MemoryChange[];
  /** Puts a row as it is, for tests that start in the middle. */
  put(row: JobRow): void;
  /** The row as it stands, without waiting. */
  row(ref: JobRef): JobRow | undefined;
  /** Takes a row away, as a store does some time after it has expired. */
  forget(ref: JobRef): void;
  /** Every event of a job, of all its lives. */
  eventsInMemory(ref: JobRef): readonly JobEvent[];
}

export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const state: State = {
    options,
    parse: options.parse ?? parseJobRow,
    rows: new Map(),
    changes: [],
    payloads: new Map(),
    events: new Map(),
    pointers: new Map(),
    sides: new Map(),
  };
  return {
    ...createReads(state),
    changes: state.changes,
    put: (row) => void state.rows.set(keyOf(row), row),
    row: (ref) => state.rows.get(keyOf(ref)),
    forget: (ref) => void state.rows.delete(keyOf(ref)),
    eventsInMemory: ({ tenant, workspace, id }) =>
      [...state.events.values()].filter(
        (event) => event.jobId === id && event.tenant === tenant && event.workspace === workspace,
      ),
    submit: async (row, params) => apply(state, row, 'submit', params, row),
    write: async (ref, rule, params) => apply(state, ref, rule, params),
    publish: (...call) => publishAll(state, ...call),
    transact: async (writes) => transact(state, writes),
    writeSide: async (side, rule, params) => writeSide(state, side, rule, params),
    putPayload: async (ref, name, json) => {
      const key = `${keyOf(ref)}/${name}`;
      if (!state.payloads.has(key)) state.payloads.set(key, json);
    },
    dropPayload: async (ref, name) => void state.payloads.delete(`${keyOf(ref)}/${name}`),
    putEvents: async (events) => events.map((event) => putEvent(state, event)),
  };
}

/** The shard that this store keeps a job's due entry in. */
export const memoryShardOf = (ref: JobRef): number => shardOf(ref.id);
