// Publishing is the settle: a snapshot becomes visible once, with a job that succeeded, and a table's pointer never moves backwards.
import type { JobRef, SnapshotId } from '../../core/ids.ts';
import type { Publication } from '../../job/ports.ts';
import type { World } from './world.ts';

interface Shelf {
  readonly snapshots: Set<string>;
  /** The sequence of each table's visible snapshot. */
  readonly pointers: Map<string, number>;
}

const shelves = new WeakMap<World, Shelf>();

export function judgePublished(
  world: World,
  ref: JobRef,
  publications: readonly Publication[],
  superseded: readonly SnapshotId[],
): void {
  const shelf = shelves.get(world) ?? { snapshots: new Set<string>(), pointers: new Map<string, number>() };
  shelves.set(world, shelf);
  if (world.store.row(ref)?.status !== 'succeeded') world.oracle.break('a job published that did not succeed', ref.id);
  for (const { snapshot, table, sequence } of publications) {
    const key = String(snapshot);
    if (shelf.snapshots.has(key)) world.oracle.break('a snapshot was published twice', key);
    shelf.snapshots.add(key);
    const visible = shelf.pointers.get(table) ?? 0;
    if (superseded.includes(snapshot) !== visible > sequence) world.oracle.break('a pointer went backwards', key);
    shelf.pointers.set(table, Math.max(visible, sequence));
  }
}
