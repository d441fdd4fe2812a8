// The due index as a reader may see it: as of now, or as of some time before. A global index is written after the row.
import { type DueEntry, DUE_SHARDS } from '../../job/ports.ts';
import { refOf } from '../../job/row.ts';
import { type MemoryChange, shardOf } from '../memory/state.ts';
import { memoryShardOf } from '../memory-store.ts';
import type { EpochMs } from '../../core/time.ts';

/** How far behind its table an index may be, ms. */
export const LATEST_INDEX = 60_000;

interface Entry {
  /** When it was written, ms. */
  readonly at: number;
  readonly dueAt: EpochMs | undefined;
  readonly rule: string;
  readonly change: MemoryChange;
}

export interface IndexView {
  changed(change: MemoryChange): void;
  /** A schedule, or another row beside the jobs, is due then. */
  sideChanged(name: string, dueAt: number | undefined): void;
  /** The shards in which anything was ever due. */
  shards(): readonly number[];
  /** Whether a read of the index may find something, at the latest it can be behind. */
  mayFind(before: number): boolean;
  /** What the index said at `at`, and the rules whose writes it had not seen. */
  asOf(
    at: number,
    shard: number,
    before: EpochMs,
  ): { readonly entries: readonly DueEntry[]; readonly unseen: readonly string[] };
}

export function createIndexView(now: () => number): IndexView {
  let changedAt = 0;
  const due = new Map<string, number>();
  const used = new Set<number>();
  const shards = Array.from({ length: DUE_SHARDS }, () => new Map<string, Entry[]>());
  return {
    changed: (change) => {
      const { before, after, write } = change;
      if (before?.dueAt === after.dueAt && before !== undefined) return;
      changedAt = now();
      due.set(String(after.id), after.dueAt ?? Infinity);
      used.add(memoryShardOf(refOf(after)));
      const shard = shards[memoryShardOf(refOf(after))];
      const id = String(after.id);
      const entries = shard?.get(id) ?? [];
      entries.push({ at: now(), dueAt: after.dueAt, rule: write.name, change });
      shard?.set(id, entries);
    },
    sideChanged: (name, dueAt) => {
      used.add(shardOf(name));
      due.set(`side ${name}`, dueAt ?? Infinity);
    },
    shards: () => [...used],
    mayFind: (before) => now() - changedAt <= LATEST_INDEX || [...due.values()].some((dueAt) => dueAt <= before),
    asOf: (at, shard, before) => {
      const entries: DueEntry[] = [];
      const unseen: string[] = [];
      for (const history of shards[shard]?.values() ?? []) {
        const seen = history.findLast((entry) => entry.at <= at);
        unseen.push(...history.filter((entry) => entry.at > at).map(({ rule }) => rule));
        if (seen?.dueAt === undefined || seen.dueAt > before) continue;
        entries.push({ ref: refOf(seen.change.after), dueAt: seen.dueAt });
      }
      return { entries: entries.sort((a, b) => a.dueAt - b.dueAt), unseen };
    },
  };
}
