// Reads the immutable manifest of a snapshot. Stored data is parsed: it outlives the code that wrote it. A pass may have put another in the
// place of the one whose key was read from a row, and taken that away: then the rows are read again.
import { Fault } from '../core/fault.ts';
import type { DatasetId, Scope, SnapshotId, TableId } from '../core/ids.ts';
import type { Objects } from '../core/objects.ts';
import type { Catalog, SnapshotRecord, TableRecord } from './catalog.ts';
import { type Manifest, manifestSchema } from './manifest-schema.ts';

export interface ManifestDeps {
  readonly catalog: Pick<Catalog, 'getTable' | 'getSnapshot'>;
  readonly objects: Pick<Objects, 'get'>;
}

/** The manifest of a snapshot, under the key that a row named. */
export interface ManifestRef extends Scope {
  readonly dataset: DatasetId;
  readonly table: TableId;
  readonly snapshot: SnapshotId;
  readonly key: string;
}

/** A table of which something is published. */
export type PublishedTable = TableRecord & { readonly current: NonNullable<TableRecord['current']> };

export const isPublished = (table: TableRecord | undefined): table is PublishedTable => table?.current !== undefined;

export const publishedRef = ({ tenant, workspace, dataset, id, current }: PublishedTable): ManifestRef => ({
  ...{ tenant, workspace, dataset, table: id, snapshot: current.snapshot, key: current.manifest },
});

export const snapshotRef = (
  { tenant, workspace, dataset, table, id }: SnapshotRecord,
  manifest: string,
): ManifestRef => ({ tenant, workspace, dataset, table, snapshot: id, key: manifest });

/**
 * Throws the Fault GONE when the table was deleted, or the snapshot removed, since its row was read; INTERNAL when a manifest is missing
 * or unreadable though a row points at it.
 */
export const readManifest = async (deps: ManifestDeps, ref: ManifestRef): Promise<Manifest> =>
  (await found(deps, ref)).manifest;

/** Whether a table was deleted, or never was. */
export const isGone = (thrown: unknown): boolean =>
  thrown instanceof Fault && (thrown.code === 'GONE' || thrown.code === 'NOT_FOUND');

/** How often a manifest may be replaced while it is being read. */
const TRIES = 5;

async function found({ catalog, objects }: ManifestDeps, ref: ManifestRef) {
  let { key } = ref;
  for (let tries = 0; tries < TRIES; tries++) {
    const bytes = await objects.get(key);
    if (bytes !== undefined)
      return { key, manifest: manifestSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))) };
    const next = await keyNow(catalog, ref);
    if (next === key) break;
    key = next;
  }
  throw new Fault('INTERNAL', `The manifest of a snapshot is missing: ${key}.`);
}

/** The key as the rows have it now. */
async function keyNow(catalog: ManifestDeps['catalog'], { dataset, table, snapshot, ...scope }: ManifestRef) {
  const there = await catalog.getTable(scope, dataset, table);
  if (there?.current?.snapshot === snapshot) return there.current.manifest;
  const now = there && (await catalog.getSnapshot(scope, dataset, table, snapshot));
  if (now?.manifest === undefined) throw new Fault('GONE', 'The table was deleted while it was being read.');
  return now.manifest;
}

/** Remembers the `size` manifests that were read last; they never change. */
export function cachedManifests(deps: ManifestDeps, size = 256): (ref: ManifestRef) => Promise<Manifest> {
  const known = new Map<string, Manifest>();
  return async (ref) => {
    const held = known.get(ref.key);
    const { key, manifest } = held ? { key: ref.key, manifest: held } : await found(deps, ref);
    known.delete(key);
    known.set(key, manifest);
    const oldest = known.keys().next().value;
    if (known.size > size && oldest !== undefined) known.delete(oldest);
    return manifest;
  };
}
