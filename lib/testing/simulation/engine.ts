// The engine as one process has it: its own clock and release, and a network between it and everything else.
import { silentLog } from '../../core/log.ts';
import { type EpochMs, seconds } from '../../core/time.ts';
import type { Engine } from '../../job/engine.ts';
import { createHeartbeats } from '../../job/heartbeat/heartbeat.ts';
import { type DuePage, type Executions, type JobStore, type Ringer, type TransactWrite } from '../../job/ports.ts';
import type { AnyKind, Registry } from '../../job/registry.ts';
import { createTickKind } from '../../job/schedule/tick-kind.ts';
import { tickOptions } from '../../job/schedule/tick.ts';
import type { Actor, Call } from './actor.ts';
import { LATEST_INDEX } from './index-view.ts';
import type { Release } from './release.ts';
import type { World } from './world.ts';

/** A clock that is further off than this may cost an attempt, ms. */
const TOLERATED_SKEW = 5000;

export function engineOf(world: World, actor: Actor, release: Release, executions: Executions): Engine {
  const store = storeOf(world, actor);
  const clock = world.loop.clockOf(actor);
  const engine: Engine = {
    store,
    ringer: ringerOf(world, actor),
    executions,
    objects: world.objects,
    registry: withTick(world, release, () => engine),
    heartbeats: createHeartbeats({ store, clock, settings: world.settings }),
    clock,
    chance: world.draws.plain(actor.name),
    settings: world.settings,
    log: silentLog,
  };
  return engine;
}

/** The kind of a schedule's tick is every release's; it works with the engine of the process that runs it. */
function withTick(world: World, { registry }: Release, engine: () => Engine): Registry {
  let made: AnyKind | undefined;
  return {
    names: () => registry.names(),
    find: (kind) => (kind === tickOptions.kind ? (made ??= watchedTick(world, engine)) : registry.find(kind)),
  };
}

function watchedTick({ oracle }: World, engine: () => Engine): AnyKind {
  const tick = createTickKind(engine);
  const run: typeof tick.run = async (ctx, input) => {
    const value = await tick.run(ctx, input).catch((thrown: unknown) => {
      oracle.ended(ctx.ref.id, ctx.epoch, 'throw');
      throw thrown;
    });
    oracle.ended(ctx.ref.id, ctx.epoch, { value: JSON.stringify(value) });
    return value;
  };
  return { ...tick, run };
}

const send = (store: JobStore, name: keyof JobStore, args: unknown[]): Promise<unknown> =>
  (store as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]?.(...args) ??
  Promise.reject(new TypeError(`${name} is no method of the store`));

/** Every method of the store goes over the network; writes of rules are told apart, and the index may be read late. */
function storeOf(world: World, actor: Actor): JobStore {
  const { store, network } = world;
  const told: Partial<JobStore> = {
    submit: (row, params) => write(world, actor, callOf(row.id, ['submit']), params, () => store.submit(row, params)),
    write: (ref, rule, params) =>
      write(world, actor, callOf(ref.id, [rule]), params, () => store.write(ref, rule, params)),
    publish: (ref, params, publications, ...more) =>
      write(world, actor, { ...callOf(ref.id, ['succeed']), transaction: true }, params, async () => {
        const published = await store.publish(ref, params, publications, ...more);
        if (published.kind === 'applied') world.published(ref, publications, published.superseded);
        return published;
      }),
    transact: (writes, token) =>
      write(world, actor, transactionOf(writes), paramsOf(writes), () => store.transact(writes, token)),
    writeSide: (side, rule, params) =>
      write(world, actor, { what: `side/${rule}`, rules: [`side/${rule}`] }, {}, () =>
        store.writeSide(side, rule, params),
      ),
    due: (shard, before) => network.call(actor, { what: 'due' }, async () => readIndex(world, actor, shard, before)),
  };
  return new Proxy(told as JobStore, {
    get: (own, name: keyof JobStore): unknown => {
      const known: unknown = Reflect.get(own, name);
      return known ?? ((...args: unknown[]) => network.call(actor, { what: name }, () => send(store, name, args)));
    },
  });
}

const callOf = (job: unknown, rules: readonly string[]): Call => ({ what: rules.join('+'), rules, job: String(job) });

/** A transaction is named after all that it writes; what it only tests is left out. */
function transactionOf(writes: readonly TransactWrite[]): Call {
  const rules = writes.flatMap((each) => {
    if ('check' in each) return [];
    if ('submit' in each) return ['submit'];
    return 'side' in each ? [`side/${each.rule}`] : [each.rule];
  });
  const first = writes[0];
  const job = first !== undefined && 'job' in first ? first.job.id : undefined;
  const made = first !== undefined && 'submit' in first ? first.submit.id : job;
  return { what: rules.join('+'), rules, transaction: true, ...(made === undefined ? {} : { job: String(made) }) };
}

const paramsOf = ([first]: readonly TransactWrite[]): object => first?.params ?? {};

/** One write of rules: who sent it is noted, and what its process suffers beside the call. */
async function write<T extends { readonly kind: string }>(
  world: World,
  actor: Actor,
  call: Call,
  params: object,
  apply: () => Promise<T>,
): Promise<T> {
  const { job, rules = [] } = call;
  noteSender(world, actor, rules, params);
  return world.network.call(actor, call, async () => {
    const answer = await apply();
    if (answer.kind !== 'applied') return answer;
    if (job !== undefined) noteApplied(world, actor, job, rules);
    if (Math.abs(actor.skew) > TOLERATED_SKEW) world.suffers('skew', rules);
    return answer;
  });
}

/** What the process of an applied write of a job suffers beside its call. */
function noteApplied(world: World, actor: Actor, job: string, rules: readonly string[]): void {
  const ofJob = rules.filter((rule) => !rule.startsWith('side/'));
  actor.lastRule.set(job, ofJob[0] ?? '');
  if (ofJob.includes('submit')) world.submittedBy.set(job, actor.release);
  const before = ofJob.includes('submit') ? 0 : world.submittedBy.get(job);
  if (before !== actor.release) world.suffers('deploy', ofJob);
  if (!ofJob.includes('claim')) return;
  if (actor.heard !== undefined) world.suffers(actor.heard, ['claim']);
  const epochs = [...world.unheard].filter((bell) => bell.startsWith(`${job}/`));
  if (epochs.length > 0) world.suffers('lost message', ['claim']);
  for (const bell of epochs) world.unheard.delete(bell);
}

function noteSender({ senders }: World, actor: Actor, rules: readonly string[], params: object): void {
  if ((rules.includes('claim') || rules.includes('begin')) && 'owner' in params)
    senders.set(String(params.owner), actor);
  if ('writeId' in params) senders.set(String(params.writeId), actor);
}

function readIndex(world: World, actor: Actor, shard: number, before: EpochMs): Promise<DuePage> {
  const { store, index, loop, faults } = world;
  if (actor.draw('stale') <= 1 - faults.staleIndex) return store.due(shard, before);
  const { entries, unseen } = index.asOf(loop.now() - actor.draw('lag') * LATEST_INDEX, shard, before);
  if (unseen.length > 0) world.suffers('stale index', unseen);
  return store.due(shard, before).then((page) => ({ ...page, entries }));
}

function ringerOf(world: World, actor: Actor): Ringer {
  const { network, queue } = world;
  return {
    isIdle: () => network.call(actor, { what: 'isIdle' }, () => Promise.resolve(queue.isEmpty())),
    ring: (bell, lane, _kind, delay = seconds(0)) => {
      world.rung.set(`${bell.ref.id}/${bell.epoch}`, world.loop.now());
      return network.call(actor, { what: 'ring', job: String(bell.ref.id) }, async () =>
        world.ring(actor, bell, lane, delay),
      );
    },
  };
}
