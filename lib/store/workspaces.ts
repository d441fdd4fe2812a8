// How a workspace ends, over `Items`: its row and the mark where its bytes are counted change in one transaction.
import type { KeyId, Scope } from '../core/ids.ts';
import type { RowKind, Workspaces } from '../ingest/deletion/workspace/ports.ts';
import type { PurgedRow } from '../ingest/deletion/ports.ts';
import { type WorkspaceEnd, workspaceEndIn, workspaceSide } from '../job/dead/workspaces.ts';
import type { Entry, Items } from './items.ts';
import {
  apiKeyKey,
  JOB_SORT_KEY,
  type Key,
  keyEntryKey,
  keyEntryRange,
  sideKey,
  usageKey,
  workspacePrefix,
} from './table.ts';
import { CLOSED, closingTally, openingTally } from './usage.ts';

const endKey = (scope: Scope): Key => sideKey(workspaceSide(scope));

export async function workspaceEndOf(items: Items, scope: Scope): Promise<WorkspaceEnd | undefined> {
  const row = await items.get(endKey(scope));
  return row && workspaceEndIn(row);
}

export const createWorkspaces = (items: Items): Workspaces => ({
  workspaceEnd: (scope) => workspaceEndOf(items, scope),
  deleteWorkspace: async (scope, { at, until }) => {
    const put = [{ key: endKey(scope), attributes: { at, until, made: at } }];
    return (await items.count(closingTally(scope), { put })) === 'counted' ? 'deleted' : 'moved';
  },
  restoreWorkspace: async (scope, { at }) => {
    const changes = [{ key: endKey(scope), test: { at, purgedBy: undefined }, removes: true as const }];
    return (await items.count(openingTally(scope), { changes })) === 'counted' ? 'restored' : 'moved';
  },
  holdWorkspace: async (scope, { at, purgedBy }, job) => {
    const test = { at, purgedBy, purgedAt: undefined };
    return (await items.change({ key: endKey(scope), test, set: { purgedBy: job } })) === 'changed' ? 'held' : 'moved';
  },
  closeWorkspace: async (scope, job, at) => {
    await items.change({ key: endKey(scope), test: { purgedBy: job }, set: { purgedAt: at } });
  },
  ...contentsIn(items),
});

/** Keys that are listed at once. */
const AT_ONCE = 25;

type Contents = Pick<Workspaces, 'rowsOfWorkspace' | 'keysOfWorkspace' | 'removeKey' | 'clearUsage'>;
const contentsIn = (items: Items): Contents => ({
  rowsOfWorkspace: async (scope, from) => {
    const { entries, ...more } = await items.walk(workspacePrefix(scope), from);
    const rows = entries.map((entry) => ({ kind: kindOf(scope, entry), row: entry.key as object as PurgedRow }));
    return { rows, ...more };
  },
  keysOfWorkspace: async (scope) => {
    const { entries } = await items.page(keyEntryRange(scope), { limit: AT_ONCE, order: 'ascending' });
    return entries.map(({ attributes }) => attributes['id'] as KeyId);
  },
  removeKey: async (scope, id) => {
    await items.remove(apiKeyKey(id));
    // Last: until then the key is found.
    await items.remove(keyEntryKey(scope, id));
  },
  clearUsage: async (scope) => {
    const none = { bytes: 0, fileBytes: 0, tableBytes: 0, countedAt: undefined };
    await items.change({ key: usageKey(scope), test: { [CLOSED]: 1 }, set: none });
  },
});

/** By partition and the beginning of the sort key, since other rows may have names like these. */
const kinds: Readonly<Record<string, RowKind>> = {
  'datasets dataset': 'dataset',
  'dataset table': 'table',
  'dataset file': 'file',
  'keys key': 'key',
  'usage usage': 'usage',
};

/** What earlier purges left of datasets and tables has no name, and is none. */
function kindOf(scope: Scope, { key: { pk, sk }, attributes }: Entry): RowKind {
  const [place = ''] = pk.slice(workspacePrefix(scope).length).split('#', 1);
  if (place === 'job') return sk === JOB_SORT_KEY ? 'job' : 'other';
  const kind = kinds[`${place} ${sk.split('#', 1)[0] ?? ''}`] ?? 'other';
  return (kind === 'dataset' || kind === 'table') && attributes['name'] === undefined ? 'other' : kind;
}
