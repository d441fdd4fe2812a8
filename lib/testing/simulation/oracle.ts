// What must hold at each applied write, told by its own book-keeping and not by the rules: the judge of a simulated run.
import type { JobRow } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';
import type { MemoryChange } from '../memory/state.ts';
import { shapeErrors } from './shape.ts';

/** A law of the protocol was broken in a simulated run. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** The sentence without what it happened to. */
  readonly law: string;

  constructor(law: string, detail?: string) {
    super(detail === undefined ? law : `${law} (${detail})`);
    this.law = law;
  }
}

export interface Oracle {
  /** Judges an applied write at its true time, ms. Throws nothing: the first violation is kept. */
  judge(change: MemoryChange, now: number, limits: { readonly skew: number }): void;
  /** A handler of (job, epoch) ended by throwing, or with a value (JSON). */
  ended(id: string, epoch: number, how: { readonly value: string } | 'throw'): void;
  /** A step of a job answered this: it answers the same ever after. */
  stepped(step: string, value: unknown): void;
  break(law: string, detail?: string): void;
  violation(): Violation | undefined;
}

const claimantRules = new Set(['heartbeat', 'checkpoint', 'succeed', 'fail', 'retry', 'exhaust', 'snooze']);
const takingRules = new Set(['claim', 'begin']);
const quietRules = new Set(['heartbeat', 'watch', 're-arm', 're-arm-execution']);
const afterTheEnd = new Set(['redrive', 'pay', 'submit', 'discard']);
/** The most that a wait may lie in the future beyond what was asked for: a hand-off, a lease, or the longest re-arm. */
const LONGEST_WAIT = 15 * 60_000;

interface Book {
  /** Who holds each job: the owner of the last claim or begin, until the job is taken away. */
  readonly holders: Map<string, string>;
  readonly settled: Set<string>;
  readonly writeIds: Set<string>;
  readonly values: Map<string, string>;
  /** The epochs whose handler threw, by job. */
  readonly throws: Map<string, Set<number>>;
  /** The epoch at which each job's present life began. */
  readonly lives: Map<string, number>;
  readonly steps: Map<string, unknown>;
  fail(law: string, change?: MemoryChange): void;
}

export function createOracle(): Oracle {
  let violation: Violation | undefined;
  const book: Book = {
    holders: new Map(),
    settled: new Set(),
    writeIds: new Set(),
    values: new Map(),
    throws: new Map(),
    lives: new Map(),
    steps: new Map(),
    fail: (law, change) => {
      violation ??= new Violation(law, change && `${change.write.name} of ${change.after.id}`);
    },
  };
  return {
    judge: (change, now, { skew }) => {
      if (change.write.name === 'submit' || change.write.name === 'redrive') judgeNewLife(book, change, now + skew);
      judgeHolder(book, change);
      judgeVersion(book, change);
      judgeDue(book, change, now + skew);
      judgeBudgets(book, change);
      for (const error of shapeErrors(change.after)) book.fail(error, change);
    },
    ended: (id, epoch, how) => {
      if (how !== 'throw') return void book.values.set(`${id}/${epoch}`, how.value);
      const thrown = book.throws.get(id) ?? new Set();
      book.throws.set(id, thrown.add(epoch));
    },
    stepped: (step, value) => {
      if (book.steps.has(step) && book.steps.get(step) !== value)
        violation ??= new Violation('a step answered twice', step);
      book.steps.set(step, value);
    },
    break: (law, detail) => {
      violation ??= new Violation(law, detail);
    },
    violation: () => violation,
  };
}

/** A job that is submitted anew takes its steps anew. */
function forgetSteps({ steps }: Book, id: string): void {
  for (const step of steps.keys()) if (step.startsWith(id)) steps.delete(step);
}

/** A submit takes the place of nothing that lives, or that is kept still; a redrive starts with full budgets. */
function judgeNewLife(book: Book, change: MemoryChange, latest: number): void {
  const { before, after, write } = change;
  book.lives.set(after.id, after.epoch);
  if (write.name === 'submit') forgetSteps(book, after.id);
  if (write.name === 'submit' && before !== undefined) {
    if (!isTerminal(before.status)) book.fail('a submit replaced a job that lives', change);
    if ((before.expiresAt ?? Infinity) * 1000 > latest + 1000)
      book.fail('a submit replaced a job that is kept', change);
  }
  if (after.attempts !== 0 || after.crashes !== 0) book.fail('a new life starts with used budgets', change);
  if (before !== undefined && after.epoch <= before.epoch) book.fail('a new life has an epoch of the old one', change);
}

/** Only who holds a job may write to it as its claimant, and each epoch is settled at most once. */
function judgeHolder(book: Book, change: MemoryChange): void {
  const { before, after, write } = change;
  const mine = `${String(write.params['epoch'])}/${String(write.params['owner'])}`;
  if (claimantRules.has(write.name) && book.holders.get(after.id) !== mine)
    book.fail('a claimant that no longer holds the job wrote to it', change);
  if (takingRules.has(write.name)) {
    if (write.name === 'claim') judgeTime(book, change);
    if (write.name === 'claim' && after.epoch <= (before?.epoch ?? 0))
      book.fail('a claim did not raise the epoch', change);
    book.holders.set(after.id, `${after.epoch}/${String(after.leaseOwner)}`);
  }
  if (write.name === 'reclaim') book.holders.delete(after.id);
  if (before?.status !== 'running' || after.status === 'running') return;
  book.holders.delete(after.id);
  const run = `${after.id}/${before.epoch}`;
  if (book.settled.has(run)) book.fail('an epoch was settled twice', change);
  book.settled.add(run);
}

/** By the claimant's own clock; how far that may be off is not the rule's affair. */
function judgeTime(book: Book, change: MemoryChange): void {
  const now = Number(change.write.params['now']);
  if ((change.before?.notBefore ?? 0) > now) book.fail('a job was claimed before its time', change);
  if ((change.before?.startBy ?? Infinity) <= now) book.fail('a job was claimed too late to start', change);
}

function judgeVersion(book: Book, change: MemoryChange): void {
  const { before, after, write } = change;
  if (before !== undefined && isTerminal(before.status) && !afterTheEnd.has(write.name))
    book.fail('a terminal job was written to', change);
  if (before !== undefined && after.epoch < before.epoch) book.fail('the epoch fell', change);
  if (quietRules.has(write.name)) {
    if (after.version !== before?.version) book.fail('a quiet rule raised the version', change);
    return;
  }
  if (after.rule !== write.name) book.fail('the row does not name the rule that wrote it', change);
  if (before !== undefined && write.name !== 'submit' && after.version !== before.version + 1)
    book.fail('the versions have a gap', change);
  if (book.writeIds.has(after.writeId)) book.fail('a copy of a write was applied twice', change);
  book.writeIds.add(after.writeId);
}

/** Every job that may need waking says when to look, in time. */
function judgeDue(book: Book, change: MemoryChange, now: number): void {
  const { status, dueAt, leaseUntil = 0, owes, notBefore = 0 } = change.after;
  if ((isTerminal(status) && owes === undefined) !== (dueAt === undefined))
    book.fail('dueAt does not say whether it needs waking', change);
  if (status === 'running' && dueAt !== undefined && leaseUntil > 0 && dueAt > leaseUntil)
    book.fail('the sweep would look only after the lease', change);
  if (dueAt !== undefined && dueAt > Math.max(now, notBefore) + LONGEST_WAIT)
    book.fail('nobody would look for too long', change);
}

function judgeBudgets(book: Book, change: MemoryChange): void {
  const { before, after, write } = change;
  if (after.attempts > after.maxRetries + 1) book.fail('more attempts than the budget', change);
  if (after.crashes > after.maxRevivals + 1) book.fail('more crashes than the budget', change);
  if (after.attempts > throwsOfLife(book, after)) book.fail('an attempt was counted that never failed', change);
  if (after.status === 'succeeded' && before?.status === 'running' && !isResultOf(book, after))
    book.fail('the result is not the claimant’s', change);
  const spent = after.attempts - (before?.attempts ?? 0) + after.crashes - (before?.crashes ?? 0);
  if (
    before !== undefined &&
    (write.name === 'retry' || write.name === 'reap' || write.name === 'crash') &&
    spent !== 1
  )
    book.fail('a failing run was not counted once', change);
}

const throwsOfLife = ({ throws, lives }: Book, { id, epoch }: JobRow): number =>
  [...(throws.get(id) ?? [])].filter((each) => each > (lives.get(id) ?? 0) && each <= epoch).length;

function isResultOf(book: Book, row: JobRow): boolean {
  const value = book.values.get(`${row.id}/${row.epoch}`);
  if (value === undefined) return false;
  return row.result === undefined ? value === 'null' : !('inline' in row.result) || row.result.inline === value;
}
