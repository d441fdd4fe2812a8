// A flow is a name that jobs share, and a switch: paused, its claimed work finishes and new work parks; a step lets one claim through;
// disabled, its waiting jobs are dropped as they come up. A flow without a row is active.
import * as z from 'zod';
import { Fault } from '../../core/fault.ts';
import { newId, type Scope } from '../../core/ids.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { Engine } from '../engine.ts';
import type { Page, PageRequest } from '../ports.ts';
import type { SideGroup, SideRef } from '../side/side.ts';
import { changed, laterThan } from '../side/side-change.ts';
import type { UnparkEngine } from '../waits/unpark.ts';
import { unparkOldest } from '../run/wake.ts';

const flowSchema = z.lazy(() =>
  z.object({
    state: z.enum(['active', 'paused', 'disabled']).default('active'),
    granted: z.number().default(0),
    drawn: z.number().default(0),
    stepId: z.string().optional(),
    since: z.number().default(0),
    reason: z.string().optional(),
  }),
);
type Stored = z.infer<typeof flowSchema>;

export interface FlowState {
  readonly state: 'active' | 'paused' | 'disabled';
  /** How many more claims it lets through while it is paused. */
  readonly steps: number;
  /** When that began. */
  readonly since: EpochMs;
  readonly reason?: string | undefined;
}
export interface Flow extends FlowState {
  readonly name: string;
}

/** How many parked jobs a verb unparks itself; the others are looked at again when they are due. */
const AT_ONCE = 200;

const flowsOf = ({ tenant, workspace }: Scope): SideGroup => ({ tenant, workspace, family: 'flow', group: '' });
export const flowRef = (scope: Scope, name: string): SideRef => ({ ...flowsOf(scope), name });
export const flowReason = (name: string): string => `flow:${name}`;
const storedIn = (row: Row | undefined): Stored => flowSchema.parse(row ?? {});
/** Of a flow's row as it was read. */
export function flowIn(row: Row | undefined): FlowState {
  const { state, granted, drawn, since, reason } = storedIn(row);
  return { state, steps: granted - drawn, since: epochMs(since), reason };
}

/** Undefined for one that no job and no verb has named. */
export async function findFlow(
  { store }: Pick<Engine, 'store'>,
  scope: Scope,
  name: string,
): Promise<Flow | undefined> {
  const row = await store.getSide(flowRef(scope, name));
  return row && { name, ...flowIn(row) };
}

/** By name. */
export async function listFlows(
  { store }: Pick<Engine, 'store'>,
  scope: Scope,
  page: PageRequest,
): Promise<Page<Flow>> {
  const { items, ...rest } = await store.listSides(flowsOf(scope), page);
  return { items: items.map(({ name, row }) => ({ name, ...flowIn(row) })), ...rest };
}

/** For a submit: the flow is known from here on. Throws Fault FLOW_DISABLED. */
export async function nameFlow({ store, clock }: Pick<Engine, 'store' | 'clock'>, scope: Scope, name: string) {
  const row = await store.getSide(flowRef(scope, name));
  const now = clock.now();
  if (row === undefined)
    await store.writeSide(flowRef(scope, name), 'create', { fields: { state: 'active', since: now }, now });
  if (flowIn(row).state === 'disabled') throw new Fault('FLOW_DISABLED', `The flow "${name}" is disabled.`);
}

type State = FlowState['state'];

/** New work parks from here on. Throws Fault CONFLICT for a flow that is disabled. */
export const pauseFlow = (engine: UnparkEngine, scope: Scope, name: string, reason?: string): Promise<Flow> =>
  setFlow(engine, scope, name, { from: ['active'], to: 'paused', reason });

/** Lets everything through again, what waited first. Throws Fault CONFLICT for a flow that is disabled. */
export async function resumeFlow(engine: UnparkEngine, scope: Scope, name: string, reason?: string): Promise<Flow> {
  const flow = await setFlow(engine, scope, name, { from: ['paused'], to: 'active', reason });
  await unparkOldest(engine, scope, flowReason(name), AT_ONCE);
  return flow;
}

/** What waits is dropped as it comes up, and a submit that names the flow is refused. */
export async function disableFlow(engine: UnparkEngine, scope: Scope, name: string, reason?: string): Promise<Flow> {
  const flow = await setFlow(engine, scope, name, { from: ['active', 'paused'], to: 'disabled', reason });
  await unparkOldest(engine, scope, flowReason(name), AT_ONCE);
  return flow;
}

/** Throws Fault CONFLICT for a flow that is paused. */
export const enableFlow = (engine: UnparkEngine, scope: Scope, name: string, reason?: string): Promise<Flow> =>
  setFlow(engine, scope, name, { from: ['disabled'], to: 'active', reason });

/** One more claim passes; the oldest job that waits is woken for it. Throws Fault CONFLICT for a flow that is not paused. */
export async function stepFlow(engine: UnparkEngine, scope: Scope, name: string): Promise<Flow> {
  const stepId = newId('w', engine.clock.now(), engine.chance);
  const side = flowRef(scope, name);
  const row = await changed(engine, side, async (found) => {
    const { state, since, granted } = storedIn(found);
    if (state !== 'paused')
      throw new Fault('CONFLICT', `The flow "${name}" is ${state}; only a paused one can step. Pause it first.`);
    if (found?.['stepId'] === stepId) return { kind: 'applied', row: found };
    const params = { sinceRead: epochMs(since), grantedRead: granted, stepId };
    return engine.store.writeSide(side, 'grant-step', params);
  });
  await unparkOldest(engine, scope, flowReason(name), 1);
  return { name, ...flowIn(row) };
}

const firstOf = { active: 'pause or disable it first', paused: 'resume it', disabled: 'enable it first' } as const;

async function setFlow(
  engine: UnparkEngine,
  scope: Scope,
  name: string,
  { from, to, reason }: { readonly from: readonly State[]; readonly to: State; readonly reason: string | undefined },
): Promise<Flow> {
  const side = flowRef(scope, name);
  const row = await changed(engine, side, async (found) => {
    const { state, since } = storedIn(found);
    if (state === to && found !== undefined) return { kind: 'applied', row: found };
    if (!from.includes(state)) throw new Fault('CONFLICT', `The flow "${name}" is ${state}; ${firstOf[state]}.`);
    const params = { state: to, reason, now: laterThan(since, engine.clock.now()), sinceRead: epochMs(since) };
    return engine.store.writeSide(side, 'set-flow', params);
  });
  return { name, ...flowIn(row) };
}
