// Tables as they were: each by a snapshot that is named, or all as they were published at a time.
import { Fault } from '../core/fault.ts';
import type { SnapshotId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Catalog, TableRecord } from './catalog.ts';
import { type ManifestRef, snapshotRef } from './manifest.ts';

/** A time, or snapshots by the names of their tables. */
export type AsOf = EpochMs | Readonly<Record<string, SnapshotId>>;

export interface Published {
  readonly name: string;
  readonly manifest: ManifestRef;
  readonly table: TableRecord;
}

/** Throws Fault NOT_FOUND where a table is named that the dataset does not have: a slip would answer what is there now. */
export function requireNamed(tables: readonly Published[], when: AsOf | undefined): void {
  if (when === undefined || typeof when === 'number') return;
  const names = new Set(tables.map(({ name }) => name.toLowerCase()));
  const unknown = Object.keys(when).find((name) => !names.has(name.toLowerCase()));
  if (unknown !== undefined) throw new Fault('NOT_FOUND', `There is no table ${unknown} in this dataset.`);
}

/**
 * The tables that a query may name, each with the manifest of that time; one that was not published then is left out. Throws Fault
 * NOT_FOUND for a snapshot that the table has not, or not any more.
 */
export async function asOf(
  catalog: Catalog,
  tables: readonly Published[],
  when: AsOf | undefined,
): Promise<Published[]> {
  if (when === undefined) return [...tables];
  const found = await Promise.all(
    tables.map((each) => (typeof when === 'number' ? atTime(catalog, each, when) : bySnapshot(catalog, each, when))),
  );
  return found.filter((each) => each !== undefined);
}

async function bySnapshot(catalog: Catalog, one: Published, when: Readonly<Record<string, SnapshotId>>) {
  const [, id] = Object.entries(when).find(([name]) => name.toLowerCase() === one.name.toLowerCase()) ?? [];
  if (id === undefined) return one;
  const { table } = one;
  const snapshot = await catalog.getSnapshot(table, table.dataset, table.id, id);
  if (snapshot?.manifest !== undefined && snapshot.expiredAt === undefined)
    return { ...one, manifest: snapshotRef(snapshot, snapshot.manifest) };
  throw new Fault('NOT_FOUND', `The table ${one.name} has no snapshot ${id}.`);
}

const PAGE = 100;

/** The newest that had been published. Their sequences are in the order of their publication: a pointer only moves forward. */
async function atTime(catalog: Catalog, one: Published, time: EpochMs): Promise<Published | undefined> {
  const { table } = one;
  let cursor: string | undefined;
  do {
    const page = await catalog.listSnapshots(table, table.dataset, table.id, { limit: PAGE, cursor });
    const then = page.items.find(
      ({ status, createdAt, publishedAt = createdAt }) => status === 'READY' && publishedAt <= time,
    );
    if (then?.expiredAt !== undefined)
      throw new Fault('NOT_FOUND', `What the table ${one.name} held then is not kept any more.`);
    if (then?.manifest !== undefined) return { ...one, manifest: snapshotRef(then, then.manifest) };
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}
