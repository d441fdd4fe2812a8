// The writes of the store in memory: each is decided by its rule on the row as it stands.
import type { JobRef, SnapshotId } from '../../core/ids.ts';
import type {
  JobEvent,
  JobStore,
  NewJobRow,
  Publication,
  Transacted,
  TransactWrite,
  Written,
} from '../../job/ports.ts';
import type { JobRow } from '../../job/row.ts';
import { type JobRuleName, jobRules } from '../../job/rules.ts';
import type { SideRef, SideWritten } from '../../job/side/side.ts';
import { type SideRuleName, sideRules } from '../../job/side/side-rules.ts';
import { type Decision, decide, holds } from '../../rule/decide.ts';
import type { Row, Rule, RuleWrite } from '../../rule/rule.ts';
import { keyOf, sideKeyOf, type State } from './state.ts';

export function apply(state: State, ref: JobRef, name: JobRuleName, params: object, created?: NewJobRow): Written {
  const decided = decideJob(state, ref, name, params, created);
  if (decided.decision.kind === 'refused') return { kind: 'refused', found: decided.before };
  return { kind: 'applied', row: saveJob(state, decided, decided.decision.row) };
}

function decideJob(state: State, ref: JobRef, name: JobRuleName, params: object, created?: NewJobRow) {
  const rule: Rule = (state.options.rules ?? jobRules)[name];
  const before = state.rows.get(keyOf(ref));
  const write: RuleWrite = { name, rule, params: params as RuleWrite['params'] };
  return { ref, before, write, decision: decide(write, before, created) };
}

function saveJob(state: State, { ref, before, write }: ReturnType<typeof decideJob>, next: Row): JobRow {
  const after = state.parse(next);
  state.rows.set(keyOf(ref), after);
  const change = { before, after, write };
  state.changes.push(change);
  state.options.applied?.(change);
  return after;
}

function decideSide(state: State, side: SideRef, name: SideRuleName, params: object) {
  const rule: Rule = (state.options.sideRules ?? sideRules)[name];
  const before = state.sides.get(sideKeyOf(side))?.row;
  const write: RuleWrite = { name, rule, params: params as RuleWrite['params'] };
  return { side, before, write, decision: decide(write, before, before ?? {}) };
}

function saveSide(state: State, { side, before, write }: ReturnType<typeof decideSide>, row: Row): void {
  const deletes = write.rule.deletes === true;
  if (deletes) state.sides.delete(sideKeyOf(side));
  else if (write.rule.then.length > 0) state.sides.set(sideKeyOf(side), { side, row });
  else return;
  state.options.sideApplied?.({ side, before, after: deletes ? undefined : row, write });
}

export function writeSide(state: State, side: SideRef, name: SideRuleName, params: object): SideWritten {
  const decided = decideSide(state, side, name, params);
  if (decided.decision.kind === 'refused') return { kind: 'refused', found: decided.before };
  saveSide(state, decided, decided.decision.row);
  return { kind: 'applied', row: decided.decision.row };
}

/** Every write is decided on the rows as they stand; then all are saved, or none. */
export function transact(state: State, writes: readonly TransactWrite[]): Transacted {
  const steps = writes.map((write) => decideOne(state, write));
  const refusals = steps.map(({ decision, before }) => (decision.kind === 'refused' ? { found: before } : undefined));
  if (refusals.some((refusal) => refusal !== undefined)) return { kind: 'refused', refusals };
  for (const { decision, save } of steps) if (decision.kind === 'applied') save(decision.row);
  return { kind: 'applied' };
}

interface Step {
  readonly before: Row | undefined;
  readonly decision: Decision;
  readonly save: (row: Row) => unknown;
}

function decideOne(state: State, write: TransactWrite): Step {
  if ('side' in write) {
    const decided = decideSide(state, write.side, write.rule, write.params);
    return { ...decided, save: (row) => saveSide(state, decided, row) };
  }
  if ('check' in write) {
    const before = state.rows.get(keyOf(write.check));
    const holding = write.guards.every((guard) => holds(guard, before ?? {}, write.params));
    const decision: Decision = holding ? { kind: 'applied', row: {} } : { kind: 'refused', found: before };
    return { before, decision, save: () => undefined };
  }
  const decided =
    'submit' in write
      ? decideJob(state, write.submit, 'submit', write.params, write.submit)
      : decideJob(state, write.job, write.rule, write.params);
  return { ...decided, save: (row) => saveJob(state, decided, row) };
}

/** The settle of a pipeline, with the pointers that it moves. */
export async function publishAll(
  state: State,
  ...[ref, params, publications, resultFor]: Parameters<JobStore['publish']>
): ReturnType<JobStore['publish']> {
  const superseded = overtaken(state, publications);
  const result = superseded.length > 0 && resultFor ? await resultFor(superseded) : params.result;
  const written = apply(state, ref, 'succeed', { ...params, result });
  if (written.kind === 'refused') return written;
  for (const { table, sequence } of publications)
    state.pointers.set(table, Math.max(sequence, state.pointers.get(table) ?? 0));
  return { ...written, superseded };
}

const overtaken = ({ pointers }: State, publications: readonly Publication[]): SnapshotId[] =>
  publications.filter(({ table, sequence }) => (pointers.get(table) ?? 0) > sequence).map(({ snapshot }) => snapshot);

export function putEvent({ events }: State, event: JobEvent): 'written' | 'exists' {
  const key = JSON.stringify([event.tenant, event.workspace, event.jobId, event.createdAt, event.version]);
  if (events.has(key)) return 'exists';
  events.set(key, event);
  return 'written';
}
