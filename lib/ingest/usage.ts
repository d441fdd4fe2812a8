// What the snapshots of a table take: the parts that their manifests name, each once, since rows that were added and rollbacks share parts.
import type { SnapshotRecord } from './catalog.ts';
import { type ManifestDeps, readManifest, snapshotRef } from './manifest.ts';
import type { Manifest } from './manifest-schema.ts';

type Part = Pick<Manifest['parts'][number], 'key' | 'bytes'>;

const partsOf = async (deps: ManifestDeps, snapshot: SnapshotRecord): Promise<readonly Part[]> =>
  snapshot.manifest === undefined ? [] : (await readManifest(deps, snapshotRef(snapshot, snapshot.manifest))).parts;

const sum = (parts: readonly Part[]): number => parts.reduce((total, { bytes }) => total + bytes, 0);

/** Bytes of the parts that are not among those of `before`. */
export function newBytes(parts: readonly Part[], before: readonly Part[] = []): number {
  const known = new Set(before.map(({ key }) => key));
  return sum(parts.filter(({ key }) => !known.has(key)));
}

/** Bytes of the parts that these snapshots of one table name. */
export async function bytesOfSnapshots(deps: ManifestDeps, snapshots: readonly SnapshotRecord[]): Promise<number> {
  const parts = new Map<string, Part>();
  for (const each of snapshots) for (const part of await partsOf(deps, each)) parts.set(part.key, part);
  return sum([...parts.values()]);
}

/**
 * What `Catalog.removeSnapshot` frees with each of `gone`, by its id, when they are removed in this order and what remains names the keys of
 * `named`: bytes of the parts that no snapshot names any more then.
 */
export async function freedBytes(
  deps: ManifestDeps,
  gone: readonly SnapshotRecord[],
  named: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const still = new Set(named);
  const freed = new Map<string, number>();
  for (const each of gone.toReversed()) {
    const alone = (await partsOf(deps, each)).filter(({ key }) => !still.has(key));
    for (const { key } of alone) still.add(key);
    freed.set(each.id, sum(alone));
  }
  return freed;
}
