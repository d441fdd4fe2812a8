// What must be true of each rule, as functions of one write: the tests of the table run them, and the mutants of the table have to break one.
import { asError, must } from '../../../../lib/core/check.ts';
import type { JobRow } from '../../../../lib/job/row.ts';
import { type JobRuleName, jobRules } from '../../../../lib/job/rules.ts';
import { isTerminal } from '../../../../lib/job/status.ts';
import { decide, isOwnWork } from '../../../../lib/rule/decide.ts';
import type { Rule } from '../../../../lib/rule/rule.ts';
import { shapeErrors } from '../../../../lib/testing/simulation/shape.ts';
import { type Case, casesOf, leaves, type Params } from './cases.ts';
import { expectedAfter } from './expected.ts';

export interface Law {
  readonly name: string;
  /** The rules that it is about; every one by default. */
  readonly rules?: readonly JobRuleName[];
  /** Judges a write that was applied. */
  readonly applied?: (before: JobRow, after: JobRow, params: Params, write: Case['write']) => boolean;
  /** Judges any write. */
  readonly judged?: (written: Case) => boolean;
}

const byClaimant = ['heartbeat', 'checkpoint', 'succeed', 'fail', 'retry', 'exhaust', 'snooze', 'crash'] as const;
const byVersion = [
  'unpark',
  'defer',
  'hold',
  'request-cancel',
  'cancel',
  'drop',
  'reclaim',
  'entomb',
  'pay',
  'discard',
  'redrive',
] as const;
const wasFree = ({ cancelRequested }: JobRow) => cancelRequested === undefined;
const isLapsed = ({ leaseUntil }: JobRow, now: number) => (leaseUntil ?? 0) <= now;
const isQuiet = (rule: Rule) => rule.quiet === true;
/** Whose guards and recognition stand on what an index or a lease said, not on who wrote: a second of them changes only when somebody looks. */
const byState = new Set(['watch', 're-arm']);

export const laws: readonly Law[] = [
  { name: 'a row keeps the shape of its status', applied: (_before, after) => shapeErrors(after).length === 0 },
  {
    name: 'leaves only the statuses that it is for',
    applied: (before, _after, _params, { name }) =>
      name === 'submit' || leaves(name as JobRuleName).includes(before.status),
  },
  {
    name: 'dueAt stands exactly where a row may need waking',
    applied: (_before, after) =>
      (after.dueAt !== undefined) === (!isTerminal(after.status) || after.owes !== undefined),
  },
  {
    name: 'while a job runs the sweep looks no later than its lease ends',
    applied: (_before, after, params) =>
      after.status !== 'running' ||
      after.leaseUntil === 0 ||
      (params.dueAt ?? 0) > params.leaseUntil ||
      (after.dueAt ?? 0) <= (after.leaseUntil ?? 0),
  },
  {
    name: 'a loud rule numbers and names its change, a quiet one leaves the number alone',
    applied: (before, after, _params, { name, rule }) =>
      isQuiet(rule)
        ? after.version === before.version && after.writeId === before.writeId
        : (name === 'submit' || after.version === before.version + 1) &&
          after.writeId === ('w_new' as unknown) &&
          after.rule === name,
  },
  { name: 'the epoch never falls', applied: (before, after) => after.epoch >= before.epoch },
  {
    name: 'no copy applies twice',
    applied: (_before, after, _params, write) => isQuiet(write.rule) || decide(write, after, after).kind === 'refused',
  },
  {
    name: 'no copy applies to a later run',
    applied: (before, after, _params, write) =>
      isQuiet(write.rule) || write.name === 'submit' || decide(write, laterRun(before, after)).kind === 'refused',
  },
  { name: 'finds its own work right after it', applied: (_before, after, _params, write) => isOwnWork(write, after) },
  {
    name: 'takes nothing that it can be applied to for its own work',
    applied: (before, _after, _params, write) => byState.has(write.name) || !isOwnWork(write, before),
  },
  {
    name: 'takes nobody else’s work for its own',
    judged: ({ write, before, params }) =>
      byState.has(write.name) || isSomehowMine(before, params) || !isOwnWork(write, before),
  },
  {
    name: 'recognises itself by epoch and owner',
    rules: ['heartbeat'],
    judged: ({ write, before, params }) =>
      !isOwnWork(write, before) || (before.epoch === params.epoch && before.leaseOwner === (params.owner as unknown)),
  },
  {
    name: 'recognises itself by the epoch that was probed',
    rules: ['re-arm-execution'],
    judged: ({ write, before, params }) => !isOwnWork(write, before) || before.epoch === params.epoch,
  },
  {
    name: 'finds its own settle under a later write',
    rules: ['succeed', 'fail', 'exhaust', 'bury', 'cancelled'],
    applied: (_before, after, params, write) =>
      params.epoch === undefined || isOwnWork(write, { ...after, writeId: 'w_later', version: after.version + 1 }),
  },
  {
    name: 'is refused by a job that another claimant holds',
    rules: byClaimant,
    applied: (before, _after, params) =>
      before.epoch === params.epoch && before.leaseOwner === (params.owner as unknown),
  },
  {
    name: 'names the version that it was decided on',
    rules: byVersion,
    applied: (before, _after, params) => before.version === params.version,
  },
  {
    name: 'gives a job back, or ends it for its claimant, only while no cancel was asked',
    rules: ['retry', 'snooze', 'park', 'crash', 'reap', 'reap-execution', 'bury', 'request-cancel'],
    applied: wasFree,
  },
  { name: 'needs a cancel that was asked', rules: ['cancelled'], applied: (before) => !wasFree(before) },
  {
    name: 'ends a running job only for its claimant, after a lapse, or after a probe',
    rules: ['bury', 'cancelled'],
    applied: (before, _after, params) => isEntitled(before, params),
  },
  {
    name: 'counts one attempt within the budget',
    rules: ['retry'],
    applied: (before, after) => after.attempts === before.attempts + 1 && after.attempts <= after.maxRetries,
  },
  {
    name: 'counts the attempt that used the budget up',
    rules: ['exhaust'],
    applied: (before, after) => after.attempts === before.attempts + 1 && after.attempts > after.maxRetries,
  },
  {
    name: 'counts one crash within the budget',
    rules: ['crash', 'reap', 'reap-execution'],
    applied: (before, after) => after.crashes === before.crashes + 1 && after.crashes <= after.maxRevivals,
  },
  {
    name: 'counts the crash that used the budget up',
    rules: ['bury'],
    applied: (before, after) => after.crashes === before.crashes + 1 && after.crashes > after.maxRevivals,
  },
  {
    name: 'takes a job from a worker only after its lease',
    rules: ['reap'],
    applied: (before, _after, { now }) => before.heldBy === 'worker' && isLapsed(before, now),
  },
  {
    name: 'takes every job back whose lease lapsed after the last reap',
    rules: ['reap'],
    judged: ({ before, params, after }) => !isReapable(before, params) || after !== undefined,
  },
  {
    name: 'touches a hand-off only after it lapsed, as it was probed',
    rules: ['reap-execution', 're-arm-execution'],
    applied: (before, _after, { now, epoch, owner }) =>
      before.heldBy === 'execution' &&
      isLapsed(before, now) &&
      before.epoch === epoch &&
      before.leaseOwner === (owner as unknown),
  },
  {
    name: 'is sent as the index entry was read',
    rules: ['re-arm', 're-arm-execution'],
    applied: (before, _after, { dueAtRead }) => before.dueAt === dueAtRead,
  },
  {
    name: 'starts a job at the epoch that was rung, in its time, with its gates passed',
    rules: ['claim'],
    applied: (before, after, { epoch, now, gates }) =>
      before.epoch === epoch &&
      after.epoch === before.epoch + 1 &&
      (before.notBefore ?? now) <= now &&
      (before.startBy ?? Infinity) > now &&
      (before.gated !== true || gates === true),
  },
  {
    name: 'takes the lease from the execution at the stage that was read',
    rules: ['begin'],
    applied: (before, _after, { epoch, previousNo }) =>
      before.epoch === epoch && before.heldBy === 'execution' && before.cursorNo === previousNo,
  },
  {
    name: 'comes after the checkpoint that was read',
    rules: ['checkpoint'],
    applied: (before, _after, { previousNo }) => before.cursorNo === previousNo,
  },
  {
    name: 'moves the lease forward only',
    rules: ['heartbeat'],
    applied: (before, after) => (after.leaseUntil ?? 0) > (before.leaseUntil ?? 0),
  },
  {
    name: 'looks at a live lease again, once it is due',
    rules: ['watch'],
    applied: (before, _after, { now }) => !isLapsed(before, now) && (before.dueAt ?? Infinity) <= now,
  },
  {
    name: 'leaves alone what still owes',
    rules: ['discard', 'redrive'],
    applied: (before) => before.owes === undefined,
  },
  { name: 'pays what is owed', rules: ['pay'], applied: (before) => before.owes !== undefined },
  { name: 'discards once', rules: ['discard'], applied: (before) => before.discarded === undefined },
  {
    name: 'parks a running job for its claimant, and a waiting one as it was read',
    rules: ['park'],
    applied: (before, _after, { epoch, owner, version }) =>
      before.status === 'running'
        ? before.epoch === epoch && before.leaseOwner === (owner as unknown)
        : before.version === version,
  },
  {
    name: 'takes the place of a job only once that has expired or was purged, at a higher epoch',
    rules: ['submit'],
    applied: (before, _after, { nowSeconds, epoch }) =>
      (before.epoch < must(epoch, 'epoch') && (before.expiresAt ?? Infinity) <= nowSeconds) ||
      (before.tombstone === true && before.epoch < must(epoch, 'epoch')),
  },
  {
    name: 'leaves the row as the protocol says',
    applied: (before, after, params, { name }) => sameFields(after, expectedAfter(name as JobRuleName, before, params)),
  },
  {
    name: 'starts what was rung, is in its time and has its gates passed',
    rules: ['claim'],
    judged: ({ before, params, after }) => !isClaimable(before, params) || after !== undefined,
  },
  {
    name: 'ends a running job for whoever may',
    rules: ['bury', 'cancelled'],
    judged: ({ before, params, after, write }) =>
      before.status !== 'running' ||
      wasFree(before) === (write.name === 'cancelled') ||
      !isEntitled(before, params) ||
      (write.name === 'bury' && before.crashes < before.maxRevivals) ||
      after !== undefined,
  },
  {
    name: 'parks for a claimant, and for whoever read a waiting row',
    rules: ['park'],
    judged: ({ before, params, after }) => !isParkable(before, params) || after !== undefined,
  },
  {
    name: 'takes the place of what has expired or was purged, and of nothing',
    rules: ['submit'],
    judged: ({ write, before, params }) =>
      applies(write, undefined) &&
      (before.epoch >= must(params.epoch, 'epoch') ||
        (applies(write, { ...before, expiresAt: params.nowSeconds as never }) &&
          applies(write, { ...before, tombstone: true }))),
  },
];

/** The row as it may stand when the job runs again, by the worst of clocks: as before, but for what each claim and each reap leaves. */
const laterRun = (before: JobRow, { reapedAt }: JobRow): JobRow => ({
  ...before,
  epoch: (before.epoch + 1) as JobRow['epoch'],
  version: before.version + 2,
  ...(reapedAt === undefined ? {} : { reapedAt }),
});

const isReapable = (row: JobRow, { now }: Params): boolean =>
  row.status === 'running' &&
  row.heldBy === 'worker' &&
  isLapsed(row, now) &&
  (row.reapedAt ?? -1) < now &&
  wasFree(row) &&
  row.crashes < row.maxRevivals;

/** Whether anything in the row could have been set by a write with these parameters. */
const isSomehowMine = (row: JobRow, { epoch, owner, goneEpoch }: Params): boolean =>
  row.epoch === epoch || row.epoch === goneEpoch || row.leaseOwner === (owner as unknown);

function isEntitled(row: JobRow, { epoch, owner, lapsedBy, goneEpoch, goneOwner }: Params): boolean {
  if (row.epoch === epoch && row.leaseOwner === (owner as unknown)) return true;
  if (lapsedBy === undefined || !isLapsed(row, lapsedBy)) return false;
  return row.epoch === goneEpoch && (row.heldBy === 'worker' || row.leaseOwner === (goneOwner as unknown));
}

const applies = (write: Case['write'], row: JobRow | undefined): boolean =>
  decide(write, row, row ?? {}).kind === 'applied';

const isClaimable = (row: JobRow, { epoch, now, gates, dueAt, leaseUntil }: Params): boolean =>
  row.status === 'queued' &&
  row.epoch === epoch &&
  (row.notBefore ?? now) <= now &&
  (row.startBy ?? Infinity) > now &&
  (row.gated !== true || gates === true) &&
  (dueAt !== undefined || (row.dueAt ?? Infinity) <= leaseUntil);

const isParkable = (row: JobRow, { epoch, owner, version }: Params): boolean =>
  row.status === 'queued'
    ? row.version === version
    : row.status === 'running' && wasFree(row) && row.epoch === epoch && row.leaseOwner === (owner as unknown);

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));

const sameFields = (row: JobRow, expected: Partial<Record<keyof JobRow, unknown>>): boolean =>
  Object.entries(expected).every(([name, value]) => isSame(row[name as keyof JobRow], value));

/** The first law that a rule of the table, as it stands now, breaks. */
export function brokenLaw(name: JobRuleName, only: readonly Law[] = laws): string | undefined {
  try {
    return firstBroken(name, only);
  } catch (thrown) {
    return `can be read: ${asError(thrown).message}`;
  }
}

function firstBroken(name: JobRuleName, only: readonly Law[]): string | undefined {
  const rule: Rule = jobRules[name];
  const cases = casesOf(name);
  if (rule.from.length > 0 && !cases.some(({ after }) => after !== undefined)) return 'can be applied';
  const about = only.filter((law) => law.rules?.includes(name) ?? true);
  return about.find((law) => cases.some((written) => !keeps(law, written)))?.name;
}

function keeps({ applied, judged }: Law, written: Case): boolean {
  if (judged?.(written) === false) return false;
  const { before, after, params, write } = written;
  return after === undefined || (applied?.(before, after, params, write) ?? true);
}
