// The reads of the store in memory: indexes and lists, worked out from the rows.
import type { Scope } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { DueEntry, DueSide, JobEvent, JobFilter, JobStore, Page, PageRequest } from '../../job/ports.ts';
import { type JobRow, refOf } from '../../job/row.ts';
import { dueFamilies, type NamedSide, type SideGroup } from '../../job/side/side.ts';
import { passes } from '../../store/job-list.ts';
import { keyOf, shardOf, sideKeyOf, type State } from './state.ts';

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
    if (row.dueAt !== undefined && row.dueAt <= before && shardOf(row.id) === shard)
      entries.push({ ref: refOf(row), dueAt: row.dueAt });
  }
  return entries.sort((a, b) => a.dueAt - b.dueAt);
}

const listed = ({ rows }: State, scope: Scope, filter: JobFilter): JobRow[] =>
  [...rows.values()]
    .filter((row) => row.tenant === scope.tenant && row.workspace === scope.workspace)
    .filter((row) => passes(filter, row))
    .sort((a, b) => b.createdAt - a.createdAt);

/** The cursor is the number of items before the page: enough where nothing is inserted meanwhile. */
function pageOf<T>(items: readonly T[], { limit, cursor }: PageRequest): Page<T> {
  const start = Number(cursor ?? 0);
  const page = items.slice(start, start + limit);
  return start + limit < items.length ? { items: page, cursor: String(start + limit) } : { items: page };
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

type Reads = Pick<
  JobStore,
  'getSide' | 'listSides' | 'parkedFor' | 'deadJobs' | 'get' | 'due' | 'list' | 'getPayload' | 'events'
>;

export const createReads = (state: State): Reads => ({
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
    storeNow: state.options.clock.now(),
  }),
  list: async (scope, filter, page) => pageOf(listed(state, scope, filter), page),
  getPayload: async (ref, name) => state.payloads.get(`${keyOf(ref)}/${name}`),
  events: async (job, page) => pageOf(eventsOf(state, job, page.afterVersion), page),
});
