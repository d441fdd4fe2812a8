// Rows and parameters for the laws of the rule table: small numbers, so that equality and boundaries are hit; parameters go together as
// their callers send them. The same cases each time.
import * as fc from 'fast-check';
import type { JobRow } from '../../../../lib/job/row.ts';
import { type JobRuleName, jobRules } from '../../../../lib/job/rules.ts';
import { isTerminal, type JobStatus, jobStatuses } from '../../../../lib/job/status.ts';
import { type Decision, decide } from '../../../../lib/rule/decide.ts';
import type { Rule, RuleWrite } from '../../../../lib/rule/rule.ts';
import { aJobRow } from '../../../../lib/testing/builders.ts';

export interface Case {
  readonly write: RuleWrite;
  readonly before: JobRow;
  readonly params: Params;
  readonly decision: Decision;
  /** The row after it; undefined where it was refused. */
  readonly after: JobRow | undefined;
}
export type Params = ReturnType<typeof together>;

const number = fc.integer({ min: 0, max: 3 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const progress = { done: 1, total: 2, note: 'new' };

const someParams = fc.record({
  epoch: number,
  owner: fc.constantFrom('own_a', 'own_b'),
  now: number,
  nowSeconds: number,
  leaseUntil: number,
  /** How the caller knows that it may end the job: as its claimant, by a lapse, or by a probe. */
  by: fc.constantFrom('claimant', 'lapse', 'probe'),
  /** The caller has read the row as it is. */
  knows: fc.boolean(),
  heldBy: fc.constantFrom('worker', 'execution'),
  dueAtRead: number,
  notBefore: number,
  expiresAt: maybe(number),
  version: number,
  previousNo: number,
  givenDueAt: maybe(number),
  owes: maybe(fc.constant('child')),
  gates: maybe(fc.constant(true)),
  progress: maybe(fc.constant(progress)),
  stage: maybe(fc.constant('new')),
  stageOutput: maybe(fc.constant('new')),
  cursor: maybe(fc.constant('"new"')),
  input: maybe(fc.constant({ inline: '2' })),
  result: maybe(fc.constant({ inline: '"new"' })),
  warnings: maybe(fc.constant(7)),
  hold: maybe(fc.constant('new')),
  deadline: maybe(number),
  parkedUntil: maybe(number),
  awaits: maybe(number),
});

/** What a caller sends: the parameters that its rule wants, and those of one way to be entitled to it. */
type SomeParams = typeof someParams extends fc.Arbitrary<infer T> ? T : never;

function together(some: SomeParams, name: string, terminal: boolean) {
  const { by, givenDueAt, now, ...rest } = some;
  const claimant = by === 'claimant' || !entitledOtherwise.has(name);
  const gone = claimant ? { lapsedBy: undefined, goneEpoch: undefined, goneOwner: undefined } : goneBy(some);
  const moves = name === 'checkpoint' || some.cursor !== undefined;
  const ownDueAt = dueIsOptional.has(name) ? givenDueAt : now + 1;
  return {
    ...rest,
    now,
    // A claimant's token is fresh, and a hand-off is renewed beyond now.
    owner: takes.has(name) ? 'own_new' : some.owner,
    leaseUntil: name === 're-arm-execution' ? now + 1 + some.leaseUntil : some.leaseUntil,
    ...gone,
    ...(claimant ? {} : { epoch: undefined, owner: undefined }),
    cursorNo: moves ? some.previousNo + 1 : undefined,
    dueAt: terminal ? (some.owes === undefined ? undefined : now + 1) : ownDueAt,
    writeId: 'w_new',
    submitId: 'w_new',
    error: { code: 'NEW', detail: 'new', retriable: true },
    cancelReason: 'new',
    parked: 'signal:new',
  };
}

const entitledOtherwise = new Set(['bury', 'cancelled', 'park']);
const takes = new Set(['claim', 'begin']);
const dueIsOptional = new Set(['claim', 'begin', 'checkpoint']);
const goneBy = ({ by, now, epoch, owner }: { by: string; now: number; epoch: number; owner: string }) => ({
  lapsedBy: now,
  goneEpoch: epoch,
  goneOwner: by === 'probe' ? owner : undefined,
});

const someRow = fc.record({
  epoch: number,
  version: number,
  leaseUntil: number,
  dueAt: number,
  attempts: number,
  crashes: number,
  cursorNo: number,
  notBefore: maybe(number),
  startBy: maybe(number),
  startedAt: maybe(number),
  heldBy: fc.constantFrom('worker', 'execution'),
  leaseOwner: fc.constantFrom('own_a', 'own_b'),
  reapedAt: maybe(number),
  cancelRequested: maybe(fc.constant('asked')),
  expiresAt: maybe(number),
  owes: maybe(fc.constant('child')),
  tombstone: maybe(fc.constant(true)),
  gated: maybe(fc.constant(true)),
  admitted: maybe(fc.constant(true)),
  rearms: maybe(number),
  redrives: maybe(number),
  parkedUntil: maybe(number),
  awaits: maybe(number),
  discarded: maybe(fc.constant(true)),
  hold: maybe(fc.constant('old')),
  deadline: maybe(number),
  stage: maybe(fc.constant('old')),
  stageOutput: maybe(fc.constant('old')),
  cursor: maybe(fc.constant('"old"')),
  progress: maybe(fc.constant({ done: 0, total: 2, note: 'old' })),
  warnings: maybe(fc.constant(1)),
});

/** A row that keeps the shape of its status. */
function shaped(status: JobStatus, some: typeof someRow extends fc.Arbitrary<infer T> ? T : never): JobRow {
  const running = status === 'running';
  const ended = isTerminal(status);
  const owes = ended ? some.owes : undefined;
  const dueAt = running ? Math.min(some.dueAt, some.leaseUntil) : some.dueAt;
  const none = undefined;
  const fields = {
    ...some,
    owes,
    dueAt: ended && owes === undefined ? none : dueAt,
    startedAt: running ? (some.startedAt ?? 0) : some.startedAt,
    notBefore: running ? none : some.notBefore,
    rearms: running ? none : some.rearms,
    admitted: running ? none : some.admitted,
    parkedUntil: status === 'parked' ? some.parkedUntil : none,
    awaits: status === 'parked' ? some.awaits : none,
    tombstone: ended ? some.tombstone : none,
    discarded: status === 'failed' || status === 'dead' ? some.discarded : none,
    expiresAt: ended ? some.expiresAt : none,
    cancelRequested: running || ended ? some.cancelRequested : none,
    ...(running ? {} : { leaseUntil: none, leaseOwner: none, heldBy: none }),
    ...(status === 'queued' || running ? { error: { code: 'OLD', detail: 'old', retriable: true } } : {}),
  };
  return aJobRow({ status, ...(fields as Partial<JobRow>) });
}

/** The parameters of a caller that has read the row. */
const asRead = (some: SomeParams, row: JobRow): SomeParams => ({
  ...some,
  epoch: row.epoch,
  version: row.version,
  owner: row.leaseOwner === undefined ? some.owner : (row.leaseOwner as unknown as SomeParams['owner']),
  previousNo: row.cursorNo,
  dueAtRead: row.dueAt ?? some.dueAtRead,
});

const RUNS = 900;
const samples = fc.sample(fc.tuple(someRow, someParams), { numRuns: RUNS, seed: 1 });

/** Writes of one rule to rows of the statuses that it leaves, and of the others, which refuse it. */
export function casesOf(name: JobRuleName): Case[] {
  const rule: Rule = jobRules[name];
  return jobStatuses.flatMap((status) => {
    const terminal = isTerminal((rule.to ?? status) as JobStatus) && name !== 'pay' && name !== 'discard';
    const runs = leaves(name).includes(status) ? RUNS : RUNS / 10;
    return samples.slice(0, runs).map(([some, params]) => {
      const row = shaped(status, some);
      return aCase(name, row, together(params.knows ? asRead(params, row) : params, name, terminal));
    });
  });
}

/** The statuses that a rule is meant to leave, whatever a broken table says. */
const whole = new Map(Object.entries(jobRules).map(([name, rule]) => [name, rule.from as readonly JobStatus[]]));
export const leaves = (name: JobRuleName): readonly JobStatus[] => whole.get(name) ?? [];

const newRow = aJobRow({ dueAt: undefined, writeId: undefined, submitId: undefined });

function aCase(name: JobRuleName, before: JobRow, params: Params): Case {
  const write: RuleWrite = { name, rule: jobRules[name], params };
  const decision = decide(write, before, name === 'submit' ? newRow : before);
  return { write, before, params, decision, after: decision.kind === 'applied' ? (decision.row as JobRow) : undefined };
}
