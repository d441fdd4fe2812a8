// The recovery bounds of docs/protocol.md against what happened: for each way to die, the longest time until its repair was applied. A time in
// which the whole host was down is nobody's repair time, and is left out.
import type { JobEvent } from '../../lib/job/ports.ts';
import { engineDefaults } from '../../lib/job/settings.ts';

/** Epoch ms. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** The events of one job, oldest first. */
export type Timeline = readonly JobEvent[];

export interface Disturbance {
  /** When the host was down as a whole. */
  readonly outages: readonly Span[];
  /** When a process of the stages was killed, epoch ms. */
  readonly stageKills: readonly number[];
  /** How long rows were seen past due, ms; undefined where nobody looked. */
  readonly overdue?: readonly number[] | undefined;
}

export interface Recovery {
  readonly name: string;
  readonly cases: number;
  /** What passes before a repair may begin, ms: a lease, a hand-off. */
  readonly before: number;
  /** The longest time after that, ms. */
  readonly longest: number;
  /** What the protocol allows for it, ms. */
  readonly within: number;
}

const SWEEP_EVERY = 60_000;
/** The machine's catch, and the settle that follows it. */
const AT_ONCE = 10_000;
const { lease, handOff, ringAgainAfter } = engineDefaults;

/** One entry a class, those without a case among them. */
export function recoveries(timelines: readonly Timeline[], disturbance: Disturbance): readonly Recovery[] {
  const { outages, overdue } = disturbance;
  const lapsed = timelines.flatMap((timeline) =>
    timeline.flatMap((event, at) => lapseOf(timeline, event, at, outages)),
  );
  const of = (wanted: Lapse['of']) => lapsed.filter((lapse) => lapse.of === wanted).map(({ ms }) => ms);
  const crashes = timelines.flatMap((timeline) => crashesIn(timeline, disturbance));
  const swept = { within: SWEEP_EVERY };
  return [
    recovery('a worker died: from the end of its lease', of('worker'), { before: lease, ...swept }),
    recovery('a stage died, and its machine did not say so: from the end of its lease', of('stage'), {
      before: lease,
      ...swept,
    }),
    recovery('a stage died: from the kill, at most', crashes, { before: 0, within: AT_ONCE }),
    recovery('an execution is gone: from the end of its hand-off', of('execution'), { before: handOff, ...swept }),
    ...(overdue === undefined
      ? []
      : [
          // The jobs of chaos come all at once, so that nobody hears of a lane that is empty.
          recovery('a doorbell was lost, behind a backlog: rows past due, until they were looked at', overdue, {
            before: lease,
            within: ringAgainAfter + SWEEP_EVERY - lease,
          }),
        ]),
  ];
}

const recovery = (name: string, times: readonly number[], limits: Pick<Recovery, 'before' | 'within'>): Recovery => ({
  name,
  cases: times.length,
  longest: times.reduce((most, ms) => Math.max(most, ms), 0),
  ...limits,
});

interface Lapse {
  readonly of: 'worker' | 'stage' | 'execution';
  readonly ms: number;
}

/** The relay names a lease as lapsed that had ended when it looked; one that was let go in time is none. */
function lapseOf(timeline: Timeline, event: JobEvent, at: number, outages: readonly Span[]): Lapse[] {
  const { lapsedAt, rule } = event;
  const repairedAt = appliedAt(event);
  if (lapsedAt === undefined || lapsedAt > repairedAt || !repairs.has(rule)) return [];
  const ms = timeUp({ from: lapsedAt, until: repairedAt }, outages);
  if (rule === 'reap-execution') return [{ of: 'execution', ms }];
  return [{ of: timeline[at - 1]?.rule === 'begin' ? 'stage' : 'worker', ms }];
}

const repairs: ReadonlySet<string> = new Set(['reap', 'reap-execution', 'bury', 'cancelled']);

/** A crash that the machine told of. Which process ran the stage is not known, so the first kill since the stage's last sign counts. */
function crashesIn(timeline: Timeline, { stageKills, outages }: Disturbance): number[] {
  return timeline.flatMap((event, at) => {
    const told = event.rule === 'crash' || (event.rule === 'bury' && event.lapsedAt === undefined);
    const before = timeline[at - 1];
    if (!told || before === undefined) return [];
    const until = appliedAt(event);
    const killed = stageKills.filter((kill) => kill >= appliedAt(before) && kill <= until);
    return killed.length === 0 ? [] : [timeUp({ from: Math.min(...killed), until }, outages)];
  });
}

const appliedAt = ({ at, appliedAt: applied = at }: JobEvent): number => applied;

/** How much of a span the host was up for, ms. */
export function timeUp({ from, until }: Span, outages: readonly Span[]): number {
  const down = outages.map((outage) => Math.min(until, outage.until) - Math.max(from, outage.from));
  return until - from - down.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}

export interface BoundsReport {
  readonly lines: readonly string[];
  /** Whether no bound was missed by more than the allowance. */
  readonly kept: boolean;
}

export interface Allowance {
  readonly ms: number;
  readonly why: string;
}

/** A line a class, with the longest time against its bound. */
export function reportBounds(found: readonly Recovery[], allowance: Allowance): BoundsReport {
  return {
    kept: found.every((one) => missedBy(one) <= allowance.ms),
    lines: [
      `recovery bounds, with an allowance of ${inSeconds(allowance.ms)} for ${allowance.why}:`,
      ...found.map((one) => `  ${told(one, allowance)}`),
    ],
  };
}

const missedBy = ({ longest, within }: Recovery): number => longest - within;

function told(one: Recovery, allowance: Allowance): string {
  if (one.cases === 0) return `${one.name}: no case`;
  const sum = (ms: number) => (one.before === 0 ? inSeconds(ms) : `${inSeconds(one.before)} + ${inSeconds(ms)}`);
  return `${one.name}: ${one.cases} ${one.cases === 1 ? 'case' : 'cases'}, the longest ${sum(one.longest)} of ${sum(one.within)}: ${verdict(one, allowance)}`;
}

function verdict(one: Recovery, allowance: Allowance): string {
  const over = missedBy(one);
  if (over <= 0) return 'kept';
  return over <= allowance.ms ? `kept, ${inSeconds(over)} of them by the allowance` : `MISSED by ${inSeconds(over)}`;
}

const inSeconds = (ms: number): string => `${Number((ms / 1000).toFixed(1))} s`;
