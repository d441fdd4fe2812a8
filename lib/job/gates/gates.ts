// What a claim must pass beside the row: its flow, its guard, the places under its keys and its rate. Their rows are read, the verdict is
// pure, and one transaction makes it so together with the test that what was read still holds; a refusal is looked at anew.
import { type Epoch, newId } from '../../core/ids.ts';
import { type EpochMs, later, millis } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { Claim } from '../claim.ts';
import type { Engine } from '../engine.ts';
import { flowIn, flowReason, flowRef } from './flow.ts';
import { guardCheck, guardHolds, guardRef, valueIn } from './guard.ts';
import { isPastDeadline } from '../run/hurry.ts';
import { jobError } from '../run/outcome.ts';
import type { TransactWrite } from '../ports.ts';
import { bucketIn, bucketOf, moveWrite, planStart } from './rate.ts';
import { handOn } from './release.ts';
import { ringFor } from '../ring.ts';
import { type JobRow, refOf } from '../row.ts';
import { counterOf, fullCheck, heldOf, slotReason, takeWrites } from './slots.ts';
import { dueWhenParked, dueWhenQueued, ending } from '../timing.ts';
import { type Together, writeTogether } from '../write.ts';

export type AtTheGate =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** It waits for a place, or for its flow to go on. */
  | { readonly kind: 'parked'; readonly row: JobRow }
  /** Its guard moved on, or its flow is disabled. */
  | { readonly kind: 'dropped'; readonly row: JobRow }
  /** Its turn under its rate comes later. `rung`: the queue carries its doorbell until then. */
  | { readonly kind: 'early'; readonly row: JobRow; readonly rung: boolean };

type GateEngine = Pick<Engine, 'store' | 'ringer' | 'clock' | 'chance' | 'settings' | 'log'>;

/** The rows of the gates, as they were read. */
interface Gates {
  readonly flow: Row | undefined;
  readonly guard: Row | undefined;
  readonly bucket: Row | undefined;
  readonly counters: readonly (Row | undefined)[];
}

type Verdict =
  | { readonly kind: 'claim'; readonly beside: readonly TransactWrite[] }
  | { readonly kind: 'park'; readonly reason: string; readonly beside: readonly TransactWrite[] }
  | { readonly kind: 'drop'; readonly detail: string; readonly beside: readonly TransactWrite[] }
  | { readonly kind: 'defer'; readonly until: EpochMs; readonly beside: readonly TransactWrite[] };

/** Others move the same rows; each look costs them at least one success. */
const MOST_LOOKS = 12;
/** So many looks follow each other without a pause: a place that was just given back is often taken again in a moment. */
const AT_ONCE = 3;
const PAUSE_MS = 25;

/** Claims a queued row that has gates and may start, or does what its gates ask for; `found` where the row has moved on. */
export async function passGates(
  engine: GateEngine,
  row: JobRow,
): Promise<AtTheGate | { readonly found: JobRow | undefined }> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const now = engine.clock.now();
    const verdict = judge(row, await look(engine, row), now);
    const answer = await enact(engine, row, verdict, now);
    if ('kind' in answer) return answer;
    if (answer.moved) return { found: answer.found };
    if (looks >= AT_ONCE) await engine.clock.sleep(millis(Math.floor(engine.chance.next() * PAUSE_MS)));
  }
  return { found: row };
}

async function look({ store }: GateEngine, row: JobRow): Promise<Gates> {
  const { flow, guardKey, rate, slots = [] } = row;
  const [flowRow, guard, bucket, ...counters] = await Promise.all([
    flow === undefined ? undefined : store.getSide(flowRef(row, flow)),
    guardKey === undefined ? undefined : store.getSide(guardRef(row, guardKey)),
    rate === undefined ? undefined : store.getSide(bucketOf(row, rate.key)),
    ...slots.map(({ key }) => store.getSide(counterOf(row, key))),
  ]);
  return { flow: flowRow, guard, bucket, counters };
}

/** A job past its deadline is claimed only to end, so nothing holds it up. */
function judge(row: JobRow, gates: Gates, now: EpochMs): Verdict {
  if (isPastDeadline(row, now)) return { kind: 'claim', beside: [] };
  return flowVerdict(row, gates) ?? guardVerdict(row, gates) ?? slotVerdict(row, gates) ?? rateVerdict(row, gates, now);
}

function flowVerdict({ flow, ...scope }: JobRow, gates: Gates): Verdict | undefined {
  if (flow === undefined) return undefined;
  const { state, steps, reason } = flowIn(gates.flow);
  const side = flowRef(scope, flow);
  if (state === 'disabled') {
    const detail = `The flow "${flow}" is disabled${reason === undefined ? '' : `: ${reason}`}.`;
    return { kind: 'drop', detail, beside: [{ side, rule: 'flow-is', params: { state } }] };
  }
  if (state === 'paused' && steps < 1)
    return { kind: 'park', reason: flowReason(flow), beside: [{ side, rule: 'flow-shut', params: {} }] };
  return undefined;
}

function guardVerdict(row: JobRow, { guard }: Gates): Verdict | undefined {
  const { guardKey, guardValue = '' } = row;
  const value = valueIn(guard);
  if (guardKey === undefined || value === undefined || value === guardValue) return undefined;
  const detail = `The guard "${guardKey}" has moved on from "${guardValue}" to "${value}".`;
  return { kind: 'drop', detail, beside: [guardCheck(row, guardKey, value)] };
}

function slotVerdict(row: JobRow, { counters }: Gates): Verdict | undefined {
  const full = (row.slots ?? []).find(({ limit }, at) => heldOf(counters[at]) >= limit);
  return full && { kind: 'park', reason: slotReason(full.key), beside: [fullCheck(row, full)] };
}

function rateVerdict(row: JobRow, gates: Gates, now: EpochMs): Verdict {
  const { rate, admitted, notBefore } = row;
  const beside = [...flowWrites(row, gates), ...guardHolds(row), ...placeWrites(row, now)];
  if (rate === undefined) return { kind: 'claim', beside };
  const plan = planStart(rate, bucketIn(gates.bucket), now, admitted === true ? notBefore : undefined);
  const move = moveWrite(row, rate, plan.bucket);
  if (plan.kind === 'wait') return { kind: 'defer', until: plan.until, beside: [move] };
  return { kind: 'claim', beside: [...beside, move] };
}

function flowWrites(row: JobRow, gates: Gates): TransactWrite[] {
  if (row.flow === undefined) return [];
  const rule = flowIn(gates.flow).state === 'paused' ? 'draw-step' : 'flow-open';
  return [{ side: flowRef(row, row.flow), rule, params: {} }];
}

const placeWrites = (row: JobRow, now: EpochMs): TransactWrite[] =>
  takeWrites(row, row.slots ?? [], (row.epoch + 1) as Epoch, now);

type Enacted = AtTheGate | { readonly moved: boolean; readonly found: JobRow | undefined };

function enact(engine: GateEngine, row: JobRow, verdict: Verdict, now: EpochMs): Promise<Enacted> {
  if (verdict.kind === 'claim') return claim(engine, row, verdict.beside, now);
  if (verdict.kind === 'park') return park(engine, row, verdict, now);
  if (verdict.kind === 'drop') return drop(engine, row, verdict, now);
  return defer(engine, row, verdict, now);
}

async function claim(
  engine: GateEngine,
  row: JobRow,
  beside: readonly TransactWrite[],
  now: EpochMs,
): Promise<Enacted> {
  const [ref, owner] = [refOf(row), newId('own', now, engine.chance)];
  const leaseUntil = later(now, engine.settings.lease);
  const dueAt = (row.dueAt ?? leaseUntil) > leaseUntil ? leaseUntil : undefined;
  const params = { epoch: row.epoch, owner, heldBy: 'worker', now, leaseUntil, dueAt, gates: true } as const;
  const answer = await writeTogether(engine, { ref, rule: 'claim', params }, beside);
  if (answer.kind === 'refused') return refusal(answer);
  return { kind: 'claimed', claim: { ref, epoch: (row.epoch + 1) as Epoch, owner, row: answer.row } };
}

async function park(
  engine: GateEngine,
  row: JobRow,
  { reason, beside }: Extract<Verdict, { kind: 'park' }>,
  now: EpochMs,
): Promise<Enacted> {
  const params = { version: row.version, parked: reason, dueAt: dueWhenParked(engine.settings, now, row.deadline) };
  const answer = await writeTogether(engine, { ref: refOf(row), rule: 'park', params }, beside);
  if (answer.kind === 'refused') return refusal(answer);
  if (!reason.startsWith(slotReason(''))) await handOn(engine, row);
  return { kind: 'parked', row: answer.row };
}

async function drop(
  engine: GateEngine,
  row: JobRow,
  { detail, beside }: Extract<Verdict, { kind: 'drop' }>,
  now: EpochMs,
): Promise<Enacted> {
  const end = ending(engine.settings, now, 'cancelled');
  const params = { version: row.version, ...end, error: jobError('DROPPED', detail, false) };
  const answer = await writeTogether(engine, { ref: refOf(row), rule: 'drop', params }, beside);
  if (answer.kind === 'refused') return refusal(answer);
  await handOn(engine, row);
  return { kind: 'dropped', row: answer.row };
}

async function defer(
  engine: GateEngine,
  row: JobRow,
  { until, beside }: Extract<Verdict, { kind: 'defer' }>,
  now: EpochMs,
): Promise<Enacted> {
  const dueAt = dueWhenQueued(engine.settings, now, until);
  const params = { version: row.version, notBefore: until, dueAt };
  const answer = await writeTogether(engine, { ref: refOf(row), rule: 'defer', params }, beside);
  if (answer.kind === 'refused') return refusal(answer);
  await handOn(engine, row);
  return { kind: 'early', row: answer.row, rung: await ringFor(engine, answer.row, now) };
}

/** Refused by the job's row, it has moved on; else by a gate, which is looked at again. */
const refusal = ({ job, found }: Extract<Together, { kind: 'refused' }>): Enacted => ({ moved: job, found });
