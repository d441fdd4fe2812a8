// What the jobs of a workspace's deletion go through, page by page: its rows and objects to count or remove them, its jobs to end them. A page
// that is done twice does nothing twice.
import type { Scope } from '../../../core/ids.ts';
import { areaKey, areas, objectKey, type Objects } from '../../../core/objects.ts';
import { entombJob, stopJob } from '../../../job/dead/vanished.ts';
import type { Engine } from '../../../job/engine.ts';
import { refOf } from '../../../job/row.ts';
import { isTerminal } from '../../../job/status.ts';
import type { Catalog } from '../../catalog.ts';
import type { RowKind, WorkspaceRow } from './ports.ts';

type EndEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

export interface WorkspaceRun {
  readonly scope: Scope;
  readonly catalog: Catalog;
  readonly objects: Objects;
  readonly engine: EndEngine;
  /** Whether the workspace still is as the job was told; asked after a list, so that what was listed is of before. */
  readonly stands?: (() => Promise<boolean>) | undefined;
  /** Proves the claim. Throws where it was lost. */
  readonly fence: () => Promise<void>;
}

/** What there is of a workspace. */
export interface WorkspaceCounts {
  datasets: number;
  tables: number;
  files: number;
  jobs: number;
  keys: number;
  /** Versions of objects, where the bucket keeps several. */
  objects: number;
  /** Of the objects. */
  bytes: number;
}

/** Where a pass stands: what it has counted or removed, and where it goes on; there it has ended where left out. */
export interface PassState {
  readonly counts: WorkspaceCounts;
  /** Rows and objects that it removed, and jobs that it ended. */
  readonly removed: number;
  readonly place?: string | undefined;
}
/** One page. */
export type Pass = (run: WorkspaceRun, state: PassState) => Promise<PassState>;

const SIDE_BY_SIDE = 10;
const PAGE = 100;

const countOf: Partial<Record<RowKind, keyof WorkspaceCounts>> = {
  dataset: 'datasets',
  table: 'tables',
  file: 'files',
  job: 'jobs',
  key: 'keys',
};

export const countRows: Pass = async ({ scope, catalog }, { counts, removed, place }) => {
  const { rows, after } = await catalog.rowsOfWorkspace(scope, place);
  const more = { ...counts };
  for (const { kind } of rows) {
    const name = countOf[kind];
    if (name !== undefined) more[name] += 1;
  }
  return { counts: more, removed, place: after };
};

/** Everything of a workspace is below these. A name that is no part of a key has no objects. */
function prefixesOf(scope: Scope): string[] {
  try {
    return [`${objectKey(scope.tenant, scope.workspace)}/`, ...areas.map((area) => areaKey(area, scope))];
  } catch {
    return [];
  }
}

/** The place is the number of the prefix, and behind a slash where to go on below it. */
export const countObjects: Pass = async ({ scope, objects }, { counts, removed, place = '0/' }) => {
  const prefixes = prefixesOf(scope);
  const [number, after] = [Number(place.slice(0, place.indexOf('/'))), place.slice(place.indexOf('/') + 1)];
  const prefix = prefixes[number];
  if (prefix === undefined) return { counts, removed };
  const page = await objects.listVersions(prefix, after === '' ? undefined : after);
  const size = page.versions.reduce((sum, each) => sum + each.size, 0);
  const more = { ...counts, objects: counts.objects + page.versions.length, bytes: counts.bytes + size };
  return { counts: more, removed, place: page.after === undefined ? `${number + 1}/` : `${number}/${page.after}` };
};

const endEach =
  (end: typeof entombJob | typeof stopJob): Pass =>
  async ({ scope, engine, stands }, { counts, removed, place }) => {
    const { items, cursor } = await engine.store.list(scope, {}, { limit: PAGE, cursor: place });
    if ((await stands?.()) === false) return { counts, removed };
    const open = items.filter(({ status }) => !isTerminal(status));
    let ended = 0;
    for (let start = 0; start < open.length; start += SIDE_BY_SIDE) {
      const some = open.slice(start, start + SIDE_BY_SIDE);
      const ends = await Promise.all(some.map((row) => end(engine, refOf(row), engine.clock.now())));
      ended += ends.filter((row) => row !== undefined).length;
    }
    return { counts, removed: removed + ended, place: cursor };
  };

/** Cancels what waits, and tells what runs to stop. */
export const stopJobs: Pass = endEach(stopJob);
/** Ends what has not ended, whoever is at it. */
export const entombJobs: Pass = endEach(entombJob);

/** The first page that is left below the first prefix that has one. */
export const removeObjects: Pass = async ({ scope, objects, fence }, state) => {
  for (const prefix of prefixesOf(scope)) {
    const { versions } = await objects.listVersions(prefix);
    if (versions.length === 0) continue;
    await fence();
    await objects.deleteVersions(versions);
    return { ...state, removed: state.removed + versions.length, place: 'more' };
  }
  return { ...state, place: undefined };
};

export const removeKeys: Pass = async ({ scope, catalog, fence }, state) => {
  const keys = await catalog.keysOfWorkspace(scope);
  if (keys.length === 0) return { ...state, place: undefined };
  await fence();
  await Promise.all(keys.map((key) => catalog.removeKey(scope, key)));
  return { ...state, place: 'more' };
};

/** But for its keys, which have rows elsewhere, and for the mark that it is deleted. */
export const removeRows: Pass = async ({ scope, catalog, fence }, state) => {
  const { rows, after } = await catalog.rowsOfWorkspace(scope, state.place);
  const going = rows.filter(({ kind }) => kind !== 'key' && kind !== 'usage');
  await fence();
  for (let start = 0; start < going.length; start += PAGE)
    await catalog.removeRows(going.slice(start, start + PAGE).map(({ row }: WorkspaceRow) => row));
  return { ...state, removed: state.removed + going.length, place: after };
};

export const clearUsage: Pass = async ({ scope, catalog, fence }, state) => {
  await fence();
  await catalog.clearUsage(scope);
  return { ...state, place: undefined };
};
