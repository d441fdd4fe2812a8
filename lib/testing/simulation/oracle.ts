// What must hold at each applied write, told by its own book-keeping and not by the rules: the judge of a simulated run.
import type { JobRow } from '../../job/row.ts';
import { isTerminal } from '../../job/status.ts';
import type { MemoryChange } from '../memory-store.ts';

/** A law of the protocol was broken in a simulated run. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export interface Oracle {
  /** Judges an applied write. Throws nothing: the first violation is kept. */
  judge(change: MemoryChange): void;
  /** A handler of (job, epoch) ended by throwing, or with its value. */
  ended(id: string, epoch: number, how: 'value' | 'throw'): void;
  break(law: string): void;
  violation(): Violation | undefined;
}

const claimantRules = new Set(['heartbeat', 'checkpoint', 'succeed', 'fail', 'retry', 'exhaust', 'snooze']);
const takingRules = new Set(['claim', 'begin']);
const quietRules = new Set(['heartbeat', 'watch', 're-arm', 're-arm-execution']);

interface Book {
  /** Who holds each job: the owner of the last claim or begin, until the job is taken away. */
  readonly holders: Map<string, string>;
  readonly settled: Set<string>;
  readonly writeIds: Set<string>;
  readonly ends: Map<string, 'value' | 'throw'>;
  readonly throws: Map<string, number>;
  fail(law: string, change?: MemoryChange): void;
}

export function createOracle(): Oracle {
  let violation: Violation | undefined;
  const book: Book = {
    holders: new Map(),
    settled: new Set(),
    writeIds: new Set(),
    ends: new Map(),
    throws: new Map(),
    fail: (law, change) => {
      violation ??= new Violation(change === undefined ? law : `${law} (${change.write.name} of ${change.after.id})`);
    },
  };
  return {
    judge: (change) => {
      judgeHolder(book, change);
      judgeVersion(book, change);
      judgeDue(book, change);
      judgeBudgets(book, change);
    },
    ended: (id, epoch, how) => {
      book.ends.set(`${id}/${epoch}`, how);
      if (how === 'throw') book.throws.set(id, (book.throws.get(id) ?? 0) + 1);
    },
    break: (law) => book.fail(law),
    violation: () => violation,
  };
}

/** Only who holds a job may write to it as its claimant, and each epoch is settled at most once. */
function judgeHolder(book: Book, change: MemoryChange): void {
  const { before, after, write } = change;
  const mine = `${String(write.params['epoch'])}/${String(write.params['owner'])}`;
  if (claimantRules.has(write.name) && book.holders.get(after.id) !== mine)
    book.fail('a claimant that no longer holds the job wrote to it', change);
  if (takingRules.has(write.name)) book.holders.set(after.id, `${after.epoch}/${String(after.leaseOwner)}`);
  if (write.name === 'reclaim') book.holders.delete(after.id);
  if (before?.status !== 'running' || after.status === 'running') return;
  book.holders.delete(after.id);
  const run = `${after.id}/${before.epoch}`;
  if (book.settled.has(run)) book.fail('an epoch was settled twice', change);
  book.settled.add(run);
}

function judgeVersion(book: Book, change: MemoryChange): void {
  const { before, after, write } = change;
  if (before !== undefined && isTerminal(before.status)) book.fail('a terminal job was written to', change);
  if (before !== undefined && after.epoch < before.epoch) book.fail('the epoch fell', change);
  if (quietRules.has(write.name)) {
    if (after.version !== before?.version) book.fail('a quiet rule raised the version', change);
    return;
  }
  if (before !== undefined && after.version !== before.version + 1) book.fail('the versions have a gap', change);
  if (book.writeIds.has(after.writeId)) book.fail('a copy of a write was applied twice', change);
  book.writeIds.add(after.writeId);
}

/** Every job that may need waking says when to look, in time. */
function judgeDue(book: Book, change: MemoryChange): void {
  const { status, dueAt, leaseUntil = 0 } = change.after;
  if (isTerminal(status) !== (dueAt === undefined)) book.fail('dueAt does not say whether it needs waking', change);
  if (status === 'running' && dueAt !== undefined && leaseUntil > 0 && dueAt > leaseUntil)
    book.fail('the sweep would look only after the lease', change);
}

function judgeBudgets(book: Book, change: MemoryChange): void {
  const { after } = change;
  if (after.attempts > after.maxRetries + 1) book.fail('more attempts than the budget', change);
  if (after.crashes > after.maxRevivals + 1) book.fail('more crashes than the budget', change);
  if (after.attempts > (book.throws.get(after.id) ?? 0)) book.fail('an attempt was counted that never failed', change);
  if (after.status === 'succeeded' && !isResultOf(book, after)) book.fail('the result is not the claimant’s', change);
}

const isResultOf = (book: Book, row: JobRow): boolean =>
  book.ends.get(`${row.id}/${row.epoch}`) === 'value' &&
  row.result !== undefined &&
  'inline' in row.result &&
  row.result.inline === JSON.stringify({ epoch: row.epoch });
