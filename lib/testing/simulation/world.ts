// The world of one simulated run: a store, a queue, and what the actors share. Every call goes over a network that has faults.
import { type Chance, seededChance } from '../../core/chance.ts';
import { silentLog } from '../../core/log.ts';
import type { Objects } from '../../core/objects.ts';
import { epochMs, minutes, seconds } from '../../core/time.ts';
import type { Engine } from '../../job/engine.ts';
import { createHeartbeats } from '../../job/heartbeat.ts';
import type { Doorbell, Executions, JobStore, Ringer } from '../../job/ports.ts';
import type { JobRow } from '../../job/row.ts';
import type { JobRuleName } from '../../job/rules.ts';
import type { Registry } from '../../job/registry.ts';
import { type EngineSettings, engineDefaults } from '../../job/settings.ts';
import type { Rule } from '../../rule/rule.ts';
import { createMemoryObjects } from '../memory-objects.ts';
import { createMemoryStore, type MemoryChange, type MemoryStore } from '../memory-store.ts';
import { createNetwork, type Faults, type Network } from './faults.ts';
import { type Actor, createLoop, type Loop } from './loop.ts';
import { createOracle, type Oracle } from './oracle.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly faults: Faults;
  /** Another rule table, for tests that break one. */
  readonly rules?: Readonly<Record<JobRuleName, Rule>> | undefined;
  /** Keeps a line for each thing that happens; off, since it costs more than the run. */
  readonly traced?: boolean | undefined;
}

/** Shorter than in production where that only saves events; the relations between them are the same. */
export const simulatedSettings: EngineSettings = {
  ...engineDefaults,
  backoffCap: seconds(20),
  handOff: minutes(2),
};

export interface World extends SimulationOptions {
  readonly chance: Chance;
  readonly loop: Loop;
  readonly network: Network;
  readonly oracle: Oracle;
  readonly store: MemoryStore;
  readonly queue: Queue;
  /** `<job id>/<epoch>` of each doorbell that was sent, and when last. */
  readonly rung: Map<string, number>;
  /** Who sent which claim, by owner, and which write, by writeId. */
  readonly senders: Map<string, Actor>;
  readonly objects: Objects;
  readonly trace: string[];
  readonly actors: { count: number };
  note(actor: Actor | undefined, what: string): void;
}

/** Doorbells that wait for a worker, and workers that wait for one. */
export interface Queue {
  deliver(bell: Doorbell): void;
  receive(): Promise<Doorbell>;
  isEmpty(): boolean;
}

/** In no particular order. */
function createQueue(chance: Chance): Queue {
  const messages: Doorbell[] = [];
  const waiting: ((bell: Doorbell) => void)[] = [];
  return {
    isEmpty: () => messages.length === 0,
    deliver: (bell) => {
      const receiver = waiting.shift();
      if (receiver === undefined) messages.push(bell);
      else receiver(bell);
    },
    receive: async () => {
      const bell = messages.splice(Math.floor(chance.next() * messages.length), 1)[0];
      return bell ?? new Promise((resolve) => waiting.push(resolve));
    },
  };
}

const START = 1_700_000_000_000;

export function createWorld(options: SimulationOptions): World {
  const { seed, faults, rules } = options;
  const chance = seededChance(seed);
  const strike = (actor: Actor, now: number): void => {
    if (!actor.name.startsWith('worker') && !actor.name.startsWith('stage')) return;
    if (chance.next() < faults.crash) {
      actor.alive = false;
      actor.crashed = true;
      actor.died?.();
      note(actor, 'dies');
    } else if (chance.next() < faults.freeze) actor.frozenUntil = now + chance.next() * 150_000;
  };
  const loop = createLoop(START, chance, strike);
  const trace: string[] = [];
  const note: World['note'] = (actor, what) => {
    if (options.traced !== true) return;
    trace.push(
      `${((loop.now() - START) / 1000).toFixed(3).padStart(10)} ${(actor?.name ?? 'store').padEnd(12)} ${what}`,
    );
  };
  const oracle = createOracle();
  const store = createMemoryStore({
    clock: { now: () => epochMs(Math.floor(loop.now())) },
    rules,
    parse: (row) => row as JobRow,
    applied: (change) => {
      if (options.traced === true) note(undefined, `${change.write.name} ${short(change.after)}`);
      oracle.judge(change);
      if (faults.transparent) judgeTransparent(world, change);
    },
  });
  const network = createNetwork(loop, chance, faults);
  const world: World = {
    ...options,
    chance,
    loop,
    network,
    oracle,
    store,
    queue: createQueue(chance),
    rung: new Map(),
    senders: new Map(),
    objects: createMemoryObjects(),
    trace,
    actors: { count: 0 },
    note,
  };
  return world;
}

/** Longer than a caller needs to read a lost answer and ring, ms. */
const RINGS_WITHIN = 20_000;

/** Where nothing is truly lost, a live claim is never taken, and whoever queued a row rings for it without waiting for a sweep. */
function judgeTransparent({ senders, oracle, loop, rung, store }: World, { before, after, write }: MemoryChange): void {
  const holder = senders.get(String(before?.leaseOwner));
  if (
    (write.name === 'reap' || write.name === 'bury') &&
    before?.heldBy === 'worker' &&
    write.params['owner'] === undefined &&
    holder?.crashed === false
  )
    oracle.break(`a live claim was taken from ${holder.name}`);
  if (after.status !== 'queued' || before?.status === 'queued') return;
  if ((after.notBefore ?? 0) - loop.now() > simulatedSettings.queueDelayCap) return;
  loop.after(RINGS_WITHIN, undefined, () => {
    if (rung.has(`${after.id}/${after.epoch}`) || senders.get(after.writeId)?.crashed !== false) return;
    const last = store.changes.findLast((change) => change.after.id === after.id);
    if (last?.after.writeId === after.writeId) oracle.break(`nobody rang for ${after.id} after ${write.name}`);
  });
}

const short = ({ id, status, epoch, leaseOwner, attempts, crashes, dueAt, leaseUntil }: JobRow): string =>
  `${id.slice(-2)} → ${status} e${epoch - START} ${String(leaseOwner ?? '').slice(-4)} a${attempts} c${crashes}` +
  ` due ${((dueAt ?? START) - START) / 1000} lease ${((leaseUntil ?? START) - START) / 1000}`;

export function newActor(world: World, name: string): Actor {
  world.actors.count += 1;
  const skew = (world.chance.next() * 2 - 1) * world.faults.skew;
  return { name: `${name}-${world.actors.count}`, skew, alive: true, crashed: false, frozenUntil: 0 };
}

/** The engine as one process has it: its own clock, and a network between it and everything else. */
export function engineOf(world: World, actor: Actor, registry: Registry, executions: Executions): Engine {
  const store = storeOf(world, actor);
  const clock = world.loop.clockOf(actor);
  return {
    store,
    ringer: ringerOf(world, actor),
    executions,
    objects: world.objects,
    registry,
    heartbeats: createHeartbeats({ store, clock, settings: simulatedSettings }),
    clock,
    chance: world.chance,
    settings: simulatedSettings,
    log: silentLog,
  };
}

function storeOf({ store, network, senders }: World, actor: Actor): JobStore {
  return {
    ...store,
    submit: (row, params) => {
      senders.set(params.writeId, actor);
      return network.call(actor, () => store.submit(row, params));
    },
    write: (ref, rule, params) => {
      if ((rule === 'claim' || rule === 'begin') && 'owner' in params) senders.set(String(params.owner), actor);
      if ('writeId' in params) senders.set(String(params.writeId), actor);
      return network.call(actor, () => store.write(ref, rule, params));
    },
    get: (ref) => network.call(actor, () => store.get(ref)),
    due: (...call) => network.call(actor, () => store.due(...call)),
  };
}

function ringerOf(world: World, actor: Actor): Ringer {
  const { network, loop, chance, faults, queue, rung } = world;
  return {
    isIdle: () => network.call(actor, () => Promise.resolve(queue.isEmpty())),
    ring: (bell, _lane, _kind, delay = seconds(0)) => {
      rung.set(`${bell.ref.id}/${bell.epoch}`, loop.now());
      const deliver = (extra: number) =>
        loop.after(delay + extra + chance.next() * 100, undefined, () => queue.deliver(bell));
      return network.call(actor, async () => {
        const drawn = chance.next();
        if (drawn < faults.lostMessage) return;
        deliver(drawn < faults.lostMessage + faults.lateMessage ? chance.next() * 120_000 : 0);
        if (chance.next() < faults.doubledMessage) deliver(chance.next() * 60_000);
      });
    },
  };
}
