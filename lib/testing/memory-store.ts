// A JobStore in memory, through `decide` and the rule table like every other: for tests, and under the simulation.
import { createHash } from 'node:crypto';
import type { JobRef, Scope, SnapshotId } from '../core/ids.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import {
  DUE_SHARDS,
  type DueEntry,
  type JobEvent,
  type JobStore,
  type NewJobRow,
  type Page,
  type PageRequest,
  type Publication,
  type Written,
} from '../job/ports.ts';
import { type JobRow, parseJobRow, refOf } from '../job/row.ts';
import { type JobRuleName, jobRules } from '../job/rules.ts';
import { decide } from '../rule/decide.ts';
import type { Rule, RuleWrite } from '../rule/rule.ts';

/** One applied write. */
export interface MemoryChange {
  readonly before: JobRow | undefined;
  readonly after: JobRow;
  readonly write: RuleWrite;
}

export interface MemoryStore extends JobStore {
  /** Every applied write, in order. */
  readonly changes: readonly MemoryChange[];
  /** Puts a row as it is, for tests that start in the middle. */
  put(row: JobRow): void;
  /** The row as it stands, without waiting. */
  row(ref: JobRef): JobRow | undefined;
}

export interface MemoryStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Another table, for tests that break one. */
  readonly rules?: Readonly<Record<JobRuleName, Rule>> | undefined;
  /** Told of each applied write, before it is answered. */
  readonly applied?: ((change: MemoryChange) => void) | undefined;
  /** How a written row is read back; the schema by default. */
  readonly parse?: ((row: unknown) => JobRow) | undefined;
}

interface State {
  readonly parse: (row: unknown) => JobRow;
  readonly options: MemoryStoreOptions;
  readonly rows: Map<string, JobRow>;
  readonly changes: MemoryChange[];
  readonly payloads: Map<string, string>;
  readonly events: Map<string, JobEvent>;
  /** The sequence that each table's pointer stands at. */
  readonly pointers: Map<string, number>;
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
  };
  return {
    changes: state.changes,
    put: (row) => void state.rows.set(keyOf(row), row),
    row: (ref) => state.rows.get(keyOf(ref)),
    submit: async (row, params) => apply(state, row, 'submit', params, row),
    write: async (ref, rule, params) => apply(state, ref, rule, params),
    publish: async (ref, params, publications, resultFor) => {
      const superseded = overtaken(state, publications);
      const result = superseded.length > 0 && resultFor ? await resultFor(superseded) : params.result;
      const written = apply(state, ref, 'succeed', { ...params, result });
      if (written.kind === 'refused') return written;
      for (const { table, sequence } of publications)
        state.pointers.set(table, Math.max(sequence, state.pointers.get(table) ?? 0));
      return { ...written, superseded };
    },
    get: async (ref) => state.rows.get(keyOf(ref)),
    due: async (shard, before) => ({ entries: dueEntries(state, shard, before), storeNow: options.clock.now() }),
    list: async (scope, filter, page) => pageOf(listed(state, scope, filter), page),
    putPayload: async (ref, name, json) => {
      const key = `${keyOf(ref)}/${name}`;
      if (!state.payloads.has(key)) state.payloads.set(key, json);
    },
    getPayload: async (ref, name) => state.payloads.get(`${keyOf(ref)}/${name}`),
    putEvents: async (events) => events.map((event) => putEvent(state, event)),
    events: async (job, page) => pageOf(eventsOf(state, job, page.afterVersion), page),
  };
}

const keyOf = ({ tenant, workspace, id }: Pick<JobRef, 'tenant' | 'workspace' | 'id'>): string =>
  `${tenant}/${workspace}/${id}`;

function apply(state: State, ref: JobRef, name: JobRuleName, params: object, created?: NewJobRow): Written {
  const rule: Rule = (state.options.rules ?? jobRules)[name];
  const before = state.rows.get(keyOf(ref));
  const write: RuleWrite = { name, rule, params: params as RuleWrite['params'] };
  const decision = decide(write, before, created);
  if (decision.kind === 'refused') return { kind: 'refused', found: before };
  const after = state.parse(decision.row);
  state.rows.set(keyOf(ref), after);
  const change = { before, after, write };
  state.changes.push(change);
  state.options.applied?.(change);
  return { kind: 'applied', row: after };
}

const overtaken = ({ pointers }: State, publications: readonly Publication[]): SnapshotId[] =>
  publications.filter(({ table, sequence }) => (pointers.get(table) ?? 0) > sequence).map(({ snapshot }) => snapshot);

/** The shard that this store keeps a job's due entry in. */
export const memoryShardOf = (ref: JobRef): number =>
  (createHash('sha256').update(ref.id).digest()[0] ?? 0) % DUE_SHARDS;

function dueEntries({ rows }: State, shard: number, before: EpochMs): DueEntry[] {
  const entries: DueEntry[] = [];
  for (const row of rows.values()) {
    if (row.dueAt !== undefined && row.dueAt <= before && memoryShardOf(row) === shard)
      entries.push({ ref: refOf(row), dueAt: row.dueAt });
  }
  return entries.sort((a, b) => a.dueAt - b.dueAt);
}

const listed = (
  { rows }: State,
  scope: Scope,
  { status, kind }: { status?: string | undefined; kind?: string | undefined },
): JobRow[] =>
  [...rows.values()]
    .filter((row) => row.tenant === scope.tenant && row.workspace === scope.workspace)
    .filter((row) => (status === undefined || row.status === status) && (kind === undefined || row.kind === kind))
    .sort((a, b) => b.createdAt - a.createdAt);

/** The cursor is the number of items before the page: enough where nothing is inserted meanwhile. */
function pageOf<T>(items: readonly T[], { limit, cursor }: PageRequest): Page<T> {
  const start = Number(cursor ?? 0);
  const page = items.slice(start, start + limit);
  return start + limit < items.length ? { items: page, cursor: String(start + limit) } : { items: page };
}

function putEvent({ events }: State, event: JobEvent): 'written' | 'exists' {
  const key = JSON.stringify([event.tenant, event.workspace, event.jobId, event.createdAt, event.version]);
  if (events.has(key)) return 'exists';
  events.set(key, event);
  return 'written';
}

const eventsOf = (
  { events }: State,
  job: Pick<JobRow, 'tenant' | 'workspace' | 'id' | 'createdAt'>,
  after = 0,
): JobEvent[] =>
  [...events.values()]
    .filter((event) => event.tenant === job.tenant && event.workspace === job.workspace && event.jobId === job.id)
    .filter((event) => event.createdAt === job.createdAt && event.version > after)
    .sort((a, b) => a.version - b.version);
