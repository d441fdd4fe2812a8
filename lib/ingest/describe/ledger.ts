// What models have cost a workspace: a total a month, one a run, and an entry a question, each kept 365 days. A question's highest cost is
// added to the totals before it is asked and corrected after the answer: who dies in between has spent too much on paper, never too little.
import * as z from 'zod';
import { type Documents, documentFamily, type Family } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, JobId, Scope, TableId } from '../../core/ids.ts';
import { days, type EpochMs, epochMs, later, toIso } from '../../core/time.ts';
import { idOf } from '../id-of.ts';

/** Millionths of a cent; whole numbers add up exactly. */
const microcents = z.int().min(0);
const totalSchema = z.strictObject({ v: z.literal(1), microcents, questions: z.int() });
export type CostTotal = z.infer<typeof totalSchema>;

const entrySchema = z.strictObject({
  v: z.literal(1),
  at: z.int().transform((value): EpochMs => epochMs(value)),
  purpose: z.string(),
  /** Of neither where people search. */
  job: idOf('job').optional(),
  dataset: idOf('ds').optional(),
  table: idOf('tbl').optional(),
  model: z.string(),
  promptVersion: z.string().optional(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  microcents,
  /** `refused`: what came did not fit; `failed`: nothing came. */
  outcome: z.enum(['answered', 'refused', 'failed']),
});
export type CostEntry = z.infer<typeof entrySchema>;

const KEPT = days(365);
const TRIES = 20;

const totals = (documents: Documents): Family<CostTotal> =>
  documentFamily(documents, { family: 'ledger', schema: totalSchema });
export const costEntries = (documents: Documents): Family<CostEntry> =>
  documentFamily(documents, { family: 'ledger', schema: entrySchema });
export const costMonths = totals;

/** `2026-11`, in UTC. */
export const monthOf = (time: EpochMs): string => toIso(time).slice(0, 7);
/** The first moment of the next month, in UTC. */
export function nextMonth(time: EpochMs): EpochMs {
  const [year = '1970', month = '01'] = monthOf(time).split('-');
  const following = Number(month) === 12 ? [Number(year) + 1, 1] : [Number(year), Number(month) + 1];
  return epochMs(Date.UTC(following[0] ?? 0, (following[1] ?? 1) - 1));
}

export const MONTHS = 'months';
const RUNS = 'runs';
/** Entries of a month, by name in the order of time. */
export const entriesOf = (month: string): string => `entries-${month}`;

export interface BudgetLimits {
  /** Microcents. */
  readonly run: number;
  readonly month: number;
}

export interface BudgetDeps {
  readonly documents: Documents;
  readonly scope: Scope;
  readonly clock: { now(): EpochMs };
  readonly limits: BudgetLimits;
  /** The run whose limit holds too; none where people search. */
  readonly job?: JobId | undefined;
  /** Unlike that of any other attempt of the job, or of any other instance. */
  readonly attempt: string;
}

export type Reserved = 'reserved' | 'run' | 'month';

export interface Budget {
  /** Counts the amount as spent, where run and month have room; else says which has none. */
  reserve(amount: number): Promise<Reserved>;
  /** Puts what it came to in the place of what was reserved; `questions`: how many it paid for, 1 where left out. */
  settle(reserved: number, entry: Omit<CostEntry, 'v' | 'at' | 'job'>, questions?: number): Promise<void>;
  /** Microcents of this attempt. */
  readonly spent: number;
}

export function createBudget({ documents, scope, clock, limits, job, attempt }: BudgetDeps): Budget {
  const family = totals(documents);
  const entries = costEntries(documents);
  let spent = 0;
  let asked = 0;
  /** Undefined where the total would pass `most`. */
  const add = async (group: string, name: string, amount: number, most: number, questions = 0) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await family.get({ ...scope, group, name });
      const before = found?.body ?? { v: 1, microcents: 0, questions: 0 };
      const after = Math.max(0, before.microcents + amount);
      if (amount > 0 && after > most) return 'full';
      const body = { v: 1 as const, microcents: after, questions: before.questions + questions };
      const put = await family.put({ ...scope, group, name }, body, found?.version ?? 0, later(clock.now(), KEPT));
      if (put === 'written') return 'added';
    }
    throw new Fault('UNAVAILABLE', 'The ledger of costs is written by many at once.');
  };
  const addToRun = async (amount: number, most: number, questions = 0) =>
    job === undefined ? 'added' : add(RUNS, job, amount, most, questions);
  return {
    get spent() {
      return spent;
    },
    reserve: async (amount) => {
      if ((await addToRun(amount, limits.run)) === 'full') return 'run';
      if ((await add(MONTHS, monthOf(clock.now()), amount, limits.month)) === 'added') return 'reserved';
      await addToRun(-amount, limits.run);
      return 'month';
    },
    settle: async (reserved, entry, questions = 1) => {
      const now = clock.now();
      const change = entry.microcents - reserved;
      spent += entry.microcents;
      await addToRun(change, Number.MAX_SAFE_INTEGER, questions);
      await add(MONTHS, monthOf(now), change, Number.MAX_SAFE_INTEGER, questions);
      const name = `${toIso(now)}-${job ?? 'search'}-${attempt}-${asked}`;
      asked += 1;
      const body = { ...entry, v: 1 as const, at: now, ...(job !== undefined && { job }) };
      await entries.put({ ...scope, group: entriesOf(monthOf(now)), name }, body, 0, later(now, KEPT));
    },
  };
}

/** Where an entry belongs, for what asks. */
export interface Spender {
  readonly dataset: DatasetId;
  readonly table?: TableId | undefined;
}
