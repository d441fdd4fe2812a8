// Statistics are counters in side rows, one row a minute, workspace and shard: what the relay adds for a change is worked out here,
// and stats.ts reads it back. They are approximate: a batch that is relayed twice may be counted twice, one that is lost not at all.
import type { Scope, TenantId, WorkspaceId } from '../core/ids.ts';
import {
  between,
  type EpochMs,
  type EpochSeconds,
  epochMs,
  hours,
  later,
  minutes,
  toEpochSeconds,
} from '../core/time.ts';
import type { JobRow, Lane } from '../job/row.ts';
import { isTerminal } from '../job/status.ts';
import { durationBucket } from './stat-scale.ts';

/** Counters in one addition; DynamoDB takes an update expression of at most 4 KB. */
const MOST_COUNTERS = 100;
const KEEP = hours(25);

/** What a relayed batch adds to one row. */
export interface StatAddition extends Scope {
  /** The start of the minute. */
  readonly minute: EpochMs;
  /** What to add to each counter, by `counterName`; an absent counter is 0. */
  readonly counters: Readonly<Record<string, number>>;
  /** When the store may forget the row. */
  readonly expiresAt: EpochSeconds;
}
/** A row as it is read back. */
export type StatBucket = Pick<StatAddition, 'minute' | 'counters'>;

/** What happened to jobs. `failedAttempts` and `crashes` count runs, the others jobs. */
export const statCounts = [
  'submitted',
  'started',
  'parked',
  'failedAttempts',
  'crashes',
  'succeeded',
  'failed',
  'cancelled',
  'dead',
  'redriven',
] as const;
export type StatCount = (typeof statCounts)[number];
/** From when a job could start to its claim; from the last claim to the job's end. */
export const statDurations = ['queueing', 'running'] as const;
export type StatDuration = (typeof statDurations)[number];

type Measure = StatCount | `${StatDuration}.${number}`;

/** `<measure>:<lane>:<kind>`; a duration's measure ends with its bucket of the scale, e.g. `running.31:default:echo`. */
const counterName = (measure: Measure, { lane, kind }: Pick<JobRow, 'lane' | 'kind'>): string =>
  `${measure}:${lane}:${kind}`;

/** A counter's name, taken apart again. */
export interface Counter {
  readonly measure: string;
  /** Of a duration. */
  readonly bucket?: number;
  readonly lane: Lane;
  readonly kind: string;
}

/** Undefined for a name that is no counter's. */
export function parseCounter(name: string): Counter | undefined {
  const [, measure = '', bucket, lane, kind = ''] = /^([a-zA-Z]+)(?:\.(\d+))?:(default|due):(.+)$/s.exec(name) ?? [];
  if (lane === undefined) return undefined;
  return { measure, lane: lane as Lane, kind, ...(bucket !== undefined && { bucket: Number(bucket) }) };
}

/** One loud change of a job row; `before` is absent for a new row. */
export interface RowChange {
  readonly before?: JobRow | undefined;
  readonly after: JobRow;
}

export interface Counting {
  /** Dates the changes whose row does not say when they were. */
  readonly at: EpochMs;
  /** −1 takes back what was counted with the same `at`. */
  readonly by: 1 | -1;
}

/** What a batch of changes adds, a few rows at most. */
export function statAdditions(changes: readonly RowChange[], { at: now, by }: Counting): StatAddition[] {
  const counted = changes.flatMap(({ before, after }) =>
    measured({ before, after }, now).map(([measure, at]) => ({
      after,
      at: minuteOf(at),
      name: counterName(measure, after),
    })),
  );
  const byRow = Map.groupBy(counted, ({ after, at }) => JSON.stringify([after.tenant, after.workspace, at]));
  return [...byRow].flatMap(([row, of]) => {
    const [tenant, workspace, minute] = JSON.parse(row) as [TenantId, WorkspaceId, EpochMs];
    const expiresAt = toEpochSeconds(later(minute, KEEP));
    return inParts(countedBy(of.map(({ name }) => name)).map(([name, times]) => [name, times * by])).map(
      (counters) => ({
        tenant,
        workspace,
        minute,
        counters,
        expiresAt,
      }),
    );
  });
}

const MINUTE = minutes(1);
export const minuteOf = (at: EpochMs): EpochMs => epochMs(at - (at % MINUTE));

function countedBy(names: readonly string[]): [name: string, times: number][] {
  return [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => [name, length]);
}

function inParts(counters: readonly [string, number][]): Record<string, number>[] {
  const parts = Array.from({ length: Math.ceil(counters.length / MOST_COUNTERS) }, (_, at) =>
    counters.slice(at * MOST_COUNTERS, (at + 1) * MOST_COUNTERS),
  );
  return parts.map((part) => Object.fromEntries(part));
}

/** What one change counts as, and when it was. Read off the two rows, so that a new rule needs nothing here. */
function measured({ before, after }: RowChange, now: EpochMs): [Measure, EpochMs][] {
  if (before === undefined || before.createdAt !== after.createdAt) return [['submitted', after.createdAt]];
  return [...startOf(before, after, now), ...endOf(before, after, now), ...troubleOf(before, after, now)];
}

function startOf(before: JobRow, after: JobRow, now: EpochMs): [Measure, EpochMs][] {
  if (before.status !== 'queued' || after.status !== 'running') return [];
  const at = after.startedAt ?? now;
  // Only a fresh row and one with a start say since when they could have run; others were queued when nothing in the row says.
  const since = before.notBefore ?? (before.rule === 'submit' ? before.createdAt : undefined);
  const queueing: [Measure, EpochMs][] =
    since === undefined ? [] : [[`queueing.${durationBucket(between(since, at))}`, at]];
  return [['started', at], ...queueing];
}

function endOf(before: JobRow, after: JobRow, now: EpochMs): [Measure, EpochMs][] {
  if (isTerminal(before.status)) return isTerminal(after.status) ? [] : [['redriven', now]];
  if (!isTerminal(after.status)) return [];
  const at = after.finishedAt ?? now;
  const ran = before.status === 'running' && after.startedAt !== undefined;
  const running: [Measure, EpochMs][] = ran
    ? [[`running.${durationBucket(between(after.startedAt ?? at, at))}`, at]]
    : [];
  return [[after.status, at], ...running];
}

function troubleOf(before: JobRow, after: JobRow, now: EpochMs): [Measure, EpochMs][] {
  const at = after.finishedAt ?? now;
  const marks: [Measure, boolean][] = [
    ['failedAttempts', after.attempts > before.attempts],
    ['crashes', after.crashes > before.crashes],
    ['parked', after.status === 'parked' && before.status !== 'parked'],
  ];
  return marks.filter(([, happened]) => happened).map(([measure]) => [measure, at]);
}
