// What there is of a table or a dataset, and where.
import { fileFolder, objectKey } from '../../core/objects.ts';
import { filesOf } from './files.ts';
import { bytesOfSnapshots } from '../usage.ts';
import type { Deletable, StoredParts } from './ports.ts';
import { allOf, rowsOf } from './rows.ts';
import type { PurgeRun } from './run.ts';

export interface PurgeCounts {
  tables: number;
  snapshots: number;
  /** Uploaded files that no other table was read from. */
  files: number;
  /** Versions of objects, where the bucket keeps several. */
  objects: number;
  bytes: number;
}

const folderOf = ({ tenant, workspace, dataset }: Deletable): string =>
  objectKey(tenant, workspace, 'datasets', dataset);

/** Nothing else is below these. */
export function prefixesOf(thing: Deletable): string[] {
  const { tenant, workspace, dataset, table } = thing;
  if (table !== undefined) return [`${folderOf(thing)}/tables/${table}/`];
  return [`${folderOf(thing)}/`, `${objectKey(tenant, workspace, 'results', dataset)}/`];
}

/** What a purge would remove now. */
export async function measure({ deps, thing }: Pick<PurgeRun, 'deps' | 'thing'>): Promise<PurgeCounts> {
  const counts = { tables: 0, snapshots: 0, files: 0, objects: 0, bytes: 0 };
  for await (const { id, name } of rowsOf((page) => deps.catalog.listTableRows(thing, thing.dataset, page))) {
    if (name === undefined || (thing.table !== undefined && thing.table !== id)) continue;
    counts.tables += 1;
    counts.snapshots += (await allOf((page) => deps.catalog.listSnapshots(thing, thing.dataset, id, page))).length;
  }
  const files = await filesOf(deps, thing);
  counts.files = files.length;
  const folders = thing.table === undefined ? [] : files.map((id) => fileFolder(thing, thing.dataset, id));
  for (const prefix of [...prefixesOf(thing), ...folders]) {
    let after: string | undefined;
    do {
      const page = await deps.objects.listVersions(prefix, after);
      counts.objects += page.versions.length;
      counts.bytes += page.versions.reduce((sum, { size }) => sum + size, 0);
      after = page.after;
    } while (after !== undefined);
  }
  return counts;
}

/** What is counted of it as stored, but for files that go one by one. A table that another purge holds is that one's to count. */
export async function storedIn({ deps, thing }: Pick<PurgeRun, 'deps' | 'thing'>): Promise<StoredParts> {
  const { catalog } = deps;
  const { dataset, table } = thing;
  const stored = { fileBytes: 0, tableBytes: 0 };
  for await (const row of rowsOf((page) => catalog.listTableRows(thing, dataset, page))) {
    if (table === undefined ? row.purgedBy !== undefined : row.id !== table) continue;
    const snapshots = await allOf((page) => catalog.listSnapshots(thing, dataset, row.id, page));
    stored.tableBytes += await bytesOfSnapshots(deps, snapshots);
  }
  if (table === undefined)
    for await (const { size } of rowsOf((page) => catalog.listFiles(thing, dataset, page))) stored.fileBytes += size;
  return stored;
}
