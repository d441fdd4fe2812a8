// Where the counters of statistics are: a side row a minute, workspace and shard, whose attributes are the counters.
import type { Scope } from '../core/ids.ts';
import { type EpochMs, epochMs, hours, later, toIso } from '../core/time.ts';
import type { JobStore } from '../job/ports.ts';
import type { NamedSide, SideGroup, SideRef } from '../job/side/side.ts';
import type { StatAddition, StatBucket } from './stat-bucket.ts';

/** Rows that share a minute of a workspace, so that no one row takes every write; a relayed batch picks one of them. */
export const STAT_SHARDS = 8;

/** The row that an addition goes to, by adding to its attributes; `shard` is 0 to 7, any for each batch. */
export const statSideOf = ({ tenant, workspace, minute }: Pick<StatAddition, 'minute' | keyof Scope>, shard: number) =>
  ({ ...groupOf({ tenant, workspace }, shard), name: nameOf(minute) }) satisfies SideRef;

const groupOf = ({ tenant, workspace }: Scope, shard: number): SideGroup => ({
  ...{ tenant, workspace, family: 'stat' },
  group: String(shard),
});
/** `2026-01-31T12:59`: sorts by time, and the first 13 characters are the hour. */
const nameOf = (minute: EpochMs): string => toIso(minute).slice(0, 16);
const hourOf = (at: EpochMs): EpochMs => epochMs(at - (at % hours(1)));
const MOST_ROWS_AN_HOUR = 60;

/** The rows of every shard in the hours that `from` to `until` touch, in any order. Throws StoreUnavailable. */
export async function readStats(
  store: Pick<JobStore, 'listSides'>,
  scope: Scope,
  { from, until }: { readonly from: EpochMs; readonly until: EpochMs },
): Promise<StatBucket[]> {
  const prefixes: string[] = [];
  for (let at = hourOf(from); at <= until; at = later(at, hours(1))) prefixes.push(nameOf(at).slice(0, 13));
  const shards = Array.from({ length: STAT_SHARDS }, (_, shard) => groupOf(scope, shard));
  const pages = shards.flatMap((group) =>
    prefixes.map((prefix) => store.listSides(group, { prefix, limit: MOST_ROWS_AN_HOUR })),
  );
  return (await Promise.all(pages)).flatMap(({ items }) => items.map(bucketOf));
}

const bucketOf = ({ name, row }: NamedSide): StatBucket => ({
  minute: epochMs(Date.parse(`${name}:00Z`)),
  counters: Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  ),
});
