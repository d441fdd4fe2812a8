// How far behind each lane and each flow is: depths from the queues, ages from a sample of the rows that are or soon fall due. Gauges, so
// nothing is counted.
import type { Scope } from '../../core/ids.ts';
import { between, type EpochMs, later, latest, minutes } from '../../core/time.ts';
import type { JobStore } from '../ports.ts';
import { DUE_SHARDS } from '../ports.ts';
import type { JobRow, Lane } from '../row.ts';

export interface LaneDepth {
  /** The function whose queue it is. */
  readonly queue: string;
  readonly lane: Lane;
  /** Doorbells that nobody has heard yet; approximate. */
  readonly waiting: number;
}

/** Implemented by the queues. */
export interface Backlogs {
  /** Throws StoreUnavailable. */
  lanes(): Promise<readonly LaneDepth[]>;
  /** Whose queue the doorbells of a kind go to. */
  queueOf(kind: string): string;
}

export type Subject = { readonly queue: string; readonly lane: Lane } | (Scope & { readonly flow: string });

export interface Gauge {
  readonly subject: Subject;
  /** Of a lane: doorbells; of a flow: its jobs in the sample. */
  readonly depth: number;
  /** How long the oldest job in the sample has waited for a worker, ms; 0 where none has. */
  readonly age: number;
  /** The flow that most of a lane's sample belongs to. */
  readonly worst?: (Scope & { readonly flow: string; readonly jobs: number }) | undefined;
}

/** Of each shard, those due first. */
const SAMPLE = 5;
/** A row behind a backlog is looked at again within this, so it stands in the index by then. */
const AHEAD = minutes(10);

/** The rows that wait for a worker, among those that fall due first. Throws StoreUnavailable. */
export async function sampleWaiting(store: Pick<JobStore, 'due' | 'get'>, now: EpochMs): Promise<JobRow[]> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => store.due(shard, later(now, AHEAD)));
  const entries = (await Promise.all(shards)).flatMap((page) => page.entries.slice(0, SAMPLE));
  const rows = await Promise.all(entries.map(({ ref }) => store.get(ref)));
  return rows
    .filter((row) => row?.status === 'queued' && (row.notBefore ?? 0) <= now)
    .filter((row) => row !== undefined);
}

/** Since when it may have waited for a worker. */
const since = ({ createdAt, startedAt, notBefore }: JobRow): EpochMs =>
  latest(createdAt, startedAt ?? createdAt, notBefore ?? createdAt);

const ageOf = (rows: readonly JobRow[], now: EpochMs): number =>
  Math.max(0, ...rows.map((row) => between(since(row), now)));

/** A gauge a lane, and one a flow of the sample. Pure. */
export function gaugesOf(
  lanes: readonly LaneDepth[],
  sample: readonly JobRow[],
  queueOf: (kind: string) => string,
  now: EpochMs,
): Gauge[] {
  const ofLanes = lanes.map(({ queue, lane, waiting }): Gauge => {
    const rows = sample.filter((row) => row.lane === lane && queueOf(row.kind) === queue);
    return { subject: { queue, lane }, depth: waiting, age: ageOf(rows, now), worst: worstOf(rows) };
  });
  const ofFlows = [...byFlow(sample).values()].map(({ flow, rows }): Gauge => {
    return { subject: flow, depth: rows.length, age: ageOf(rows, now) };
  });
  return [...ofLanes, ...ofFlows];
}

function byFlow(rows: readonly JobRow[]) {
  const flows = new Map<string, { readonly flow: Scope & { readonly flow: string }; readonly rows: JobRow[] }>();
  for (const row of rows) {
    const { tenant, workspace, flow } = row;
    if (flow === undefined) continue;
    const key = JSON.stringify([tenant, workspace, flow]);
    const found = flows.get(key) ?? { flow: { tenant, workspace, flow }, rows: [] };
    flows.set(key, found);
    found.rows.push(row);
  }
  return flows;
}

function worstOf(rows: readonly JobRow[]): Gauge['worst'] {
  const [worst] = [...byFlow(rows).values()].sort((a, b) => b.rows.length - a.rows.length);
  return worst && { ...worst.flow, jobs: worst.rows.length };
}
