// A JobStore in memory, through `decide` and the rule table like every other: for tests, and under the simulation.
import { createHash } from 'node:crypto';
import type { JobRef, Scope, SnapshotId } from '../core/ids.ts';
import type { Clock, EpochMs } from '../core/time.ts';
import {
  DUE_SHARDS,
  type DueEntry,
  type DueSide,
  type JobEvent,
  type JobStore,
  type NewJobRow,
  type Page,
  type PageRequest,
  type Publication,
  type Transacted,
  type TransactWrite,
  type Written,
} from '../job/ports.ts';
import { type JobRow, parseJobRow, refOf } from '../job/row.ts';
import { type JobRuleName, jobRules } from '../job/rules.ts';
import { dueFamilies, type NamedSide, type SideGroup, type SideRef, type SideWritten } from '../job/side.ts';
import { type SideRuleName, sideRules } from '../job/side-rules.ts';
import { type Decision, decide, holds } from '../rule/decide.ts';
import type { Row, Rule, RuleWrite } from '../rule/rule.ts';

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
  readonly sideRules?: Readonly<Record<SideRuleName, Rule>> | undefined;
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
  readonly sides: Map<string, { readonly side: SideRef; readonly row: Row }>;
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
    transact: async (writes) => transact(state, writes),
    writeSide: async (side, rule, params) => writeSide(state, side, rule, params),
    getSide: async (side) => state.sides.get(sideKeyOf(side))?.row,
    listSides: async (group, page) => pageOf(sidesOf(state, group, page.prefix), page),
    parkedFor: async (scope, reason, page) =>
      pageOf(
        inScope(state, scope)
          .filter((row) => row.parked === reason)
          .sort(oldestFirst)
          .map(refOf),
        page,
      ),
    deadJobs: async (scope, page) => pageOf(inScope(state, scope).filter(isListedDead).sort(latestEndFirst), page),
    get: async (ref) => state.rows.get(keyOf(ref)),
    due: async (shard, before) => ({
      entries: dueEntries(state, shard, before),
      sides: dueSides(state, shard, before),
      storeNow: options.clock.now(),
    }),
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
  const decided = decideJob(state, ref, name, params, created);
  if (decided.decision.kind === 'refused') return { kind: 'refused', found: decided.before };
  return { kind: 'applied', row: saveJob(state, decided, decided.decision.row) };
}

function decideJob(state: State, ref: JobRef, name: JobRuleName, params: object, created?: NewJobRow) {
  const rule: Rule = (state.options.rules ?? jobRules)[name];
  const before = state.rows.get(keyOf(ref));
  const write: RuleWrite = { name, rule, params: params as RuleWrite['params'] };
  return { ref, before, write, decision: decide(write, before, created) };
}

function saveJob(state: State, { ref, before, write }: ReturnType<typeof decideJob>, next: Row): JobRow {
  const after = state.parse(next);
  state.rows.set(keyOf(ref), after);
  const change = { before, after, write };
  state.changes.push(change);
  state.options.applied?.(change);
  return after;
}

function decideSide(state: State, side: SideRef, name: SideRuleName, params: object) {
  const rule: Rule = (state.options.sideRules ?? sideRules)[name];
  const before = state.sides.get(sideKeyOf(side))?.row;
  const write: RuleWrite = { name, rule, params: params as RuleWrite['params'] };
  return { side, before, write, decision: decide(write, before, before ?? {}) };
}

function saveSide(state: State, { side, write }: ReturnType<typeof decideSide>, row: Row): void {
  if (write.rule.deletes === true) state.sides.delete(sideKeyOf(side));
  else if (write.rule.then.length > 0) state.sides.set(sideKeyOf(side), { side, row });
}

function writeSide(state: State, side: SideRef, name: SideRuleName, params: object): SideWritten {
  const decided = decideSide(state, side, name, params);
  if (decided.decision.kind === 'refused') return { kind: 'refused', found: decided.before };
  saveSide(state, decided, decided.decision.row);
  return { kind: 'applied', row: decided.decision.row };
}

/** Every write is decided on the rows as they stand; then all are saved, or none. */
function transact(state: State, writes: readonly TransactWrite[]): Transacted {
  const steps = writes.map((write) => decideOne(state, write));
  const refusals = steps.map(({ decision, before }) => (decision.kind === 'refused' ? { found: before } : undefined));
  if (refusals.some((refusal) => refusal !== undefined)) return { kind: 'refused', refusals };
  for (const { decision, save } of steps) if (decision.kind === 'applied') save(decision.row);
  return { kind: 'applied' };
}

interface Step {
  readonly before: Row | undefined;
  readonly decision: Decision;
  readonly save: (row: Row) => unknown;
}

function decideOne(state: State, write: TransactWrite): Step {
  if ('side' in write) {
    const decided = decideSide(state, write.side, write.rule, write.params);
    return { ...decided, save: (row) => saveSide(state, decided, row) };
  }
  if ('check' in write) {
    const before = state.rows.get(keyOf(write.check));
    const holding = write.guards.every((guard) => holds(guard, before ?? {}, write.params));
    const decision: Decision = holding ? { kind: 'applied', row: {} } : { kind: 'refused', found: before };
    return { before, decision, save: () => undefined };
  }
  const decided =
    'submit' in write
      ? decideJob(state, write.submit, 'submit', write.params, write.submit)
      : decideJob(state, write.job, write.rule, write.params);
  return { ...decided, save: (row) => saveJob(state, decided, row) };
}

const sideKeyOf = ({ tenant, workspace, family, group, name }: SideRef): string =>
  JSON.stringify([tenant, workspace, family, group, name]);

const sidesOf = ({ sides }: State, group: SideGroup, prefix = ''): NamedSide[] =>
  [...sides.values()]
    .filter(({ side }) => sideKeyOf({ ...group, name: side.name }) === sideKeyOf(side) && side.name.startsWith(prefix))
    .map(({ side, row }) => ({ name: side.name, row }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

const inScope = ({ rows }: State, { tenant, workspace }: Scope): JobRow[] =>
  [...rows.values()].filter((row) => row.tenant === tenant && row.workspace === workspace);
const oldestFirst = (a: JobRow, b: JobRow): number => a.createdAt - b.createdAt;
const latestEndFirst = (a: JobRow, b: JobRow): number => (b.finishedAt ?? 0) - (a.finishedAt ?? 0);
const isListedDead = ({ status, discarded }: JobRow): boolean =>
  (status === 'failed' || status === 'dead') && discarded !== true;

const overtaken = ({ pointers }: State, publications: readonly Publication[]): SnapshotId[] =>
  publications.filter(({ table, sequence }) => (pointers.get(table) ?? 0) > sequence).map(({ snapshot }) => snapshot);

const shardOf = (name: string): number => (createHash('sha256').update(name).digest()[0] ?? 0) % DUE_SHARDS;
/** The shard that this store keeps a job's due entry in. */
export const memoryShardOf = (ref: JobRef): number => shardOf(ref.id);

function dueSides({ sides }: State, shard: number, before: EpochMs): DueSide[] {
  return [...sides.values()]
    .filter(({ side }) => dueFamilies.has(side.family) && shardOf(side.name) === shard)
    .map(({ side, row }) => ({ side, dueAt: row['dueAt'] as EpochMs | undefined }))
    .filter((due): due is DueSide => due.dueAt !== undefined && due.dueAt <= before)
    .sort((a, b) => a.dueAt - b.dueAt);
}

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
