// What the protocol says of the row after each rule, beside its status: told from the design, attribute by attribute, not from the table.
import type { JobRow } from '../../../../lib/job/row.ts';
import type { JobRuleName } from '../../../../lib/job/rules.ts';
import type { Params } from './cases.ts';

type Fields = Partial<Record<keyof JobRow, unknown>>;
type Expected = (before: JobRow, params: Params) => Fields;

const none = undefined;

const lease: Expected = (_before, { owner, leaseUntil }) => ({ leaseOwner: owner, leaseUntil });
const dueAtIfGiven: Expected = (before, { dueAt }) => ({ dueAt: dueAt ?? before.dueAt });
const waits: Expected = (_before, { dueAt }) => ({ dueAt, leaseUntil: none, leaseOwner: none, heldBy: none });
const ends: Expected = (_before, { now, expiresAt, owes, dueAt }) => ({
  finishedAt: now,
  expiresAt,
  owes,
  dueAt,
  leaseUntil: none,
  leaseOwner: none,
  heldBy: none,
  parked: none,
  parkedUntil: none,
  awaits: none,
});
const fails: Expected = (before, params) => ({ ...ends(before, params), error: params.error });
const anew: Fields = { rearms: none };

const expected: Partial<Record<JobRuleName, Expected>> = {
  submit: (_before, { epoch, dueAt }) => ({ epoch, dueAt, submitId: 'w_new' }),
  claim: (before, params) => ({
    ...lease(before, params),
    ...dueAtIfGiven(before, params),
    ...anew,
    heldBy: params.heldBy,
    startedAt: params.now,
    notBefore: none,
    startBy: none,
    admitted: none,
  }),
  heartbeat: (before, { leaseUntil, progress }) => ({ leaseUntil, progress: progress ?? before.progress }),
  begin: (before, params) => ({ ...lease(before, params), ...dueAtIfGiven(before, params), heldBy: 'worker' }),
  checkpoint: (before, params) => ({
    ...dueAtIfGiven(before, params),
    cursorNo: params.cursorNo,
    cursor: params.cursor,
    stage: params.stage ?? before.stage,
    stageOutput: params.stageOutput ?? before.stageOutput,
    heldBy: params.heldBy,
    leaseUntil: params.leaseUntil,
    progress: params.progress ?? before.progress,
  }),
  succeed: (before, params) => ({
    ...ends(before, params),
    result: params.result,
    warnings: params.warnings,
    stage: params.stage ?? before.stage,
    error: none,
  }),
  fail: fails,
  retry: (before, params) => ({ ...waits(before, params), notBefore: params.notBefore, error: params.error }),
  exhaust: fails,
  snooze: (before, params) => ({
    ...waits(before, params),
    notBefore: params.notBefore,
    cursor: params.cursor ?? before.cursor,
    cursorNo: params.cursorNo ?? before.cursorNo,
  }),
  park: (before, params) => ({
    ...waits(before, params),
    ...anew,
    parked: params.parked,
    parkedUntil: params.parkedUntil,
    awaits: params.awaits,
  }),
  unpark: (_before, { dueAt }) => ({ ...anew, parked: none, parkedUntil: none, awaits: none, dueAt }),
  defer: (_before, { notBefore, dueAt }) => ({ ...anew, notBefore, admitted: true, dueAt }),
  hold: (_before, { hold }) => ({ hold }),
  crash: (before, params) => ({ ...waits(before, params), error: params.error }),
  reap: (before, params) => ({ ...waits(before, params), reapedAt: params.now }),
  'reap-execution': waits,
  bury: fails,
  'request-cancel': (_before, { cancelReason }) => ({ cancelRequested: cancelReason }),
  cancelled: fails,
  cancel: fails,
  drop: fails,
  watch: ({ leaseUntil }) => ({ dueAt: leaseUntil, leaseUntil }),
  're-arm': ({ rearms = 0 }, { dueAt }) => ({ dueAt, rearms: rearms + 1 }),
  're-arm-execution': (_before, { leaseUntil }) => ({ leaseUntil, dueAt: leaseUntil }),
  reclaim: (_before, { now }) => ({ leaseOwner: none, heldBy: 'worker', leaseUntil: 0, dueAt: now }),
  entomb: fails,
  pay: () => ({ owes: none, dueAt: none }),
  discard: (_before, { expiresAt }) => ({ discarded: true, expiresAt }),
  redrive: (before, { dueAt, stage, stageOutput, input, deadline, notBefore }) => ({
    ...anew,
    epoch: before.epoch + 1,
    redrives: (before.redrives ?? 0) + 1,
    attempts: 0,
    crashes: 0,
    stage,
    stageOutput,
    input: input ?? before.input,
    deadline,
    dueAt,
    admitted: none,
    discarded: none,
    hold: none,
    expiresAt: none,
    finishedAt: none,
    error: none,
    cancelRequested: none,
    notBefore,
    startBy: none,
    cursor: none,
    progress: none,
  }),
};

/** The attributes that a rule decides, as they must be after it. */
export const expectedAfter = (name: JobRuleName, before: JobRow, params: Params): Fields =>
  expected[name]?.(before, params) ?? {};
