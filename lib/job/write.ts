// The one place where a rule is sent and a refused write is read. An answer may be lost after the write was applied, and then the
// second try is refused by our own work; the rule says how to recognise it. Transient failures are sent again with the same writeId.
import type { Chance } from '../core/chance.ts';
import { must } from '../core/check.ts';
import { newId, type JobRef, type WriteId } from '../core/ids.ts';
import { isOutage } from '../core/outage.ts';
import { type Clock, type DurationMs, millis, seconds } from '../core/time.ts';
import { decide, isOwnWork } from '../rule/decide.ts';
import { paramOf, type Row, type Rule, type RuleWrite } from '../rule/rule.ts';
import type { Outcome } from './run/outcome.ts';
import {
  type JobStore,
  type NewJobRow,
  type Publication,
  type Published,
  type RuleParams,
  StoreUnavailable,
  type TransactWrite,
  type Written,
} from './ports.ts';
import type { JobRow } from './row.ts';
import { type JobRuleName, jobRules } from './rules.ts';

interface Sender {
  readonly clock: Clock;
  readonly chance: Chance;
}
interface Writer extends Sender {
  readonly store: JobStore;
}
type Writable = Exclude<JobRuleName, 'submit'>;
/** A rule's parameters but for the writeId, which is minted here, before the first send. */
export type ParamsFor<N extends JobRuleName> = Omit<RuleParams<N>, 'writeId'>;

/** How long a write is sent again while the store does not answer, unless the caller has longer. */
export const PATIENCE = seconds(3);
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2000;

/**
 * Writes one rule. `applied` also where the row found shows that an earlier send of this write was applied; the row is then as found.
 * Throws StoreUnavailable when the store has not answered for `patience`; whether it was applied is then unknown.
 */
export async function writeRule<N extends Writable>(
  engine: Writer,
  ref: JobRef,
  name: N,
  params: ParamsFor<N>,
  patience: DurationMs = PATIENCE,
): Promise<Written> {
  const minted = withWriteId(engine, name, params);
  const answer = await untilAnswered(engine, patience, () => sendRule(engine, ref, name, minted));
  const again = answer.kind === 'refused' ? withDueTime(asWrite(name, minted), answer.found) : undefined;
  if (again === undefined) return answer;
  return untilAnswered(engine, patience, () => sendRule(engine, ref, name, again as RuleParams<N>));
}

/** One send of one rule, its refusal read; for who resends at a pace of their own. */
export async function sendRule<N extends Writable>(
  engine: { readonly store: Pick<JobStore, 'write'> },
  ref: JobRef,
  name: N,
  params: RuleParams<N>,
): Promise<Written> {
  return readAnswer(asWrite(name, params), await engine.store.write(ref, name, params));
}

/** Writes the submit rule; `applied` also where the row found is this submit's own. */
export async function writeSubmit(
  engine: Writer,
  row: NewJobRow,
  params: Omit<RuleParams<'submit'>, 'writeId' | 'submitId'>,
): Promise<Written> {
  const minted = withWriteId(engine, 'submit', { ...params, submitId: mint(engine) });
  return untilAnswered(engine, PATIENCE, async () =>
    readAnswer(asWrite('submit', minted), await engine.store.submit(row, minted)),
  );
}

/** Writes the settle of a pipeline with what it publishes. After a lost answer `superseded` is empty: the snapshots tell. */
export async function writePublish(
  engine: Writer,
  ref: JobRef,
  params: ParamsFor<'succeed'>,
  {
    publications,
    resultFor,
    stored,
  }: Pick<Extract<Outcome, { kind: 'succeed' }>, 'resultFor' | 'stored'> & {
    readonly publications: readonly Publication[];
  },
  patience: DurationMs,
): Promise<Published> {
  const minted = withWriteId(engine, 'succeed', params);
  return untilAnswered(engine, patience, async () => {
    const answer = await engine.store.publish(ref, minted, publications, resultFor, stored);
    if (answer.kind === 'applied') return answer;
    const read = readAnswer(asWrite('succeed', minted), answer);
    return read.kind === 'applied' ? { ...read, superseded: [] } : read;
  });
}

/** What one transaction answered; `beside` has an entry a write beside the job's own, undefined where that one did not refuse. */
export type Together =
  | { readonly kind: 'applied'; readonly row: JobRow }
  | {
      readonly kind: 'refused';
      /** Whether the job's own write was among those that refused; `found` is then its row. */
      readonly job: boolean;
      readonly found: JobRow | undefined;
      readonly beside: readonly ({ readonly found: Row | undefined } | undefined)[];
    };

/**
 * Writes one rule of a job in one transaction with `beside`: all of it, or nothing. `applied` also where the row found shows that an
 * earlier send was applied; the row is as a read after it found it. Throws StoreUnavailable as `writeRule` does.
 */
export async function writeTogether<N extends Writable>(
  engine: Writer,
  { ref, rule, params }: { readonly ref: JobRef; readonly rule: N; readonly params: ParamsFor<N> },
  beside: readonly TransactWrite[],
  patience: DurationMs = PATIENCE,
): Promise<Together> {
  const minted = withWriteId(engine, rule, params);
  const own = { job: ref, rule, params: minted };
  return sendTogether(engine, ref, asWrite(rule, minted), [own, ...beside], patience);
}

/** The submit rule together with `beside`, as `writeTogether`. */
export async function writeSubmitTogether(
  engine: Writer,
  row: NewJobRow,
  params: Omit<RuleParams<'submit'>, 'writeId' | 'submitId'>,
  beside: readonly TransactWrite[],
): Promise<Together> {
  const minted = withWriteId(engine, 'submit', { ...params, submitId: mint(engine) });
  return sendTogether(engine, row, asWrite('submit', minted), [{ submit: row, params: minted }, ...beside], PATIENCE);
}

async function sendTogether(
  engine: Writer,
  ref: JobRef,
  write: RuleWrite,
  writes: readonly TransactWrite[],
  patience: DurationMs,
): Promise<Together> {
  const token = write.params['writeId'] as WriteId | undefined;
  const answer = await untilAnswered(engine, patience, () => engine.store.transact(writes, token ?? mint(engine)));
  if (answer.kind === 'applied') return { kind: 'applied', row: must(await readRow(engine, ref), 'the written row') };
  const [own, ...beside] = answer.refusals;
  const found = own?.found as JobRow | undefined;
  if (found !== undefined && isOwnWork(write, found)) return { kind: 'applied', row: found };
  return { kind: 'refused', job: own !== undefined, found, beside };
}

/** The row by a consistent read, asked again for a few seconds while the store does not answer; then throws StoreUnavailable. */
export const readRow = (
  engine: Sender & { readonly store: Pick<JobStore, 'get'> },
  ref: JobRef,
): Promise<JobRow | undefined> => untilAnswered(engine, PATIENCE, () => engine.store.get(ref));

/** Runs `send` until the service behind it answers, for at most `patience`; then throws what the last try threw. */
export async function untilAnswered<T>(
  { clock, chance }: Sender,
  patience: DurationMs,
  send: () => Promise<T>,
): Promise<T> {
  const giveUp = clock.monotonic() + patience;
  const mayWait = (pause: number) => clock.monotonic() + pause <= giveUp;
  let pause = FIRST_PAUSE;
  let answer = await tryOnce(send, mayWait(pause));
  while (answer === undefined) {
    await clock.sleep(millis(pause * (0.5 + chance.next() / 2)));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
    answer = await tryOnce(send, mayWait(pause));
  }
  return answer.value;
}

/** Undefined when the store did not answer and there is time for another try. */
async function tryOnce<T>(send: () => Promise<T>, mayWait: boolean): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await send() };
  } catch (thrown) {
    if (mayWait && (thrown instanceof StoreUnavailable || isOutage(thrown))) return undefined;
    throw thrown;
  }
}

const mint = ({ clock, chance }: Sender): WriteId => newId('w', clock.now(), chance);

const asWrite = (name: JobRuleName, params: object): RuleWrite => ({
  name,
  rule: jobRules[name],
  params: params as Readonly<Record<string, unknown>>,
});

function withWriteId<N extends JobRuleName>(engine: Writer, name: N, params: ParamsFor<N>): RuleParams<N> {
  const rule: Rule = jobRules[name];
  const minted = rule.quiet ? params : { ...params, writeId: mint(engine) };
  return minted as unknown as RuleParams<N>;
}

function readAnswer(write: RuleWrite, answer: Written): Written {
  if (answer.kind === 'applied' || answer.found === undefined) return answer;
  return isOwnWork(write, answer.found) ? { kind: 'applied', row: answer.found } : answer;
}

/**
 * The parameters to send again where the write was refused only because the index entry stands later than the lease will end: a row
 * that was re-armed, or two clocks that differ.
 */
function withDueTime(write: RuleWrite, found: JobRow | undefined): object | undefined {
  if (found === undefined || write.params.dueAt !== undefined || !takesDueTime(write.rule)) return undefined;
  const params = { ...write.params, dueAt: write.params.leaseUntil };
  return decide({ ...write, params }, found).kind === 'applied' ? params : undefined;
}

const takesDueTime = (rule: Rule): boolean =>
  rule.when.some((guard) => 'unlessGiven' in guard && paramOf(guard.unlessGiven) === 'dueAt');
