// A world for handlers that wait: one store, and processes that come and go. Every process may be stopped dead before or after any of
// its calls of the store, and anything may be done between two of them.
import { seededChance } from '../../../lib/core/chance.ts';
import type { JobId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { minutes, seconds } from '../../../lib/core/time.ts';
import { createEffects } from '../../../lib/events/effects.ts';
import { relayChanges } from '../../../lib/events/relay.ts';
import type { Engine } from '../../../lib/job/engine.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import { createHeartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import type { Doorbell, JobStore } from '../../../lib/job/ports.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { type AnyKind, createRegistry } from '../../../lib/job/registry.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { isTerminal } from '../../../lib/job/status.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import { createMemoryObjects } from '../../../lib/testing/memory-objects.ts';
import { createMemoryStore, type MemoryStore } from '../../../lib/testing/memory-store.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { scope } from '../../support/pipeline-world.ts';

/** Asked before each call of the store, which is the process' nth: goes on, or is dead before it or after it. */
export type Fate = (call: number) => Promise<'goes on' | 'dies before' | 'dies after'>;
export const lives: Fate = async () => 'goes on';
export const diesAt =
  (nth: number, when: 'dies before' | 'dies after'): Fate =>
  async (call) =>
    call === nth ? when : 'goes on';

export interface WaitingWorld {
  readonly store: MemoryStore;
  readonly clock: ManualClock;
  /** An engine of a process of its own. */
  process(fate?: Fate): Engine;
  /** What the relay and the sweep run on. */
  readonly engine: Engine;
  submit(kind: string, input?: unknown): Promise<JobRow>;
  /** Every doorbell that was rung is heard, each by a process of its own, until none rings; how many calls the first one made. */
  hearAll(first?: Fate): Promise<number>;
  relay(): Promise<void>;
  /** Time passes, rows are swept and changes relayed, until the job has ended or waits for what never comes. */
  carryOn(id: JobId): Promise<JobRow>;
  row(id: JobId): JobRow;
  /** Every job of a kind. */
  all(kind: string): JobRow[];
}

const never = new Promise<never>(() => undefined);

function mortal(store: JobStore, fate: Fate, called: () => number): JobStore {
  let dead = false;
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
      return async (...given: unknown[]) => {
        if (dead) return never;
        const end = await fate(called());
        if (end === 'dies before') dead = true;
        if (dead) return never;
        const answer = await method.apply(target, given);
        if (end === 'dies after') dead = true;
        return dead ? never : answer;
      };
    },
  });
}

export function createWaitingWorld(kinds: readonly AnyKind[]): WaitingWorld {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const bells: Doorbell[] = [];
  const objects = createMemoryObjects();
  const registry = createRegistry(kinds);
  let relayed = 0;
  let calls = 0;
  const onStore = (given: JobStore): Engine => ({
    store: given,
    ringer: {
      ring: async (bell) => void bells.push(bell),
      isIdle: async () => true,
      ringAll: async () => new Set(),
    } as Engine['ringer'],
    executions: { start: async () => undefined, probe: async () => 'gone' },
    objects,
    registry,
    heartbeats: createHeartbeats({ store: given, clock, settings: engineDefaults }),
    clock,
    chance: seededChance(7),
    settings: engineDefaults,
    log: silentLog,
  });
  const engine = onStore(store);
  const world: WaitingWorld = {
    store,
    clock,
    engine,
    process: (fate = lives) => {
      calls = 0;
      return onStore(mortal(store, fate, () => calls++));
    },
    submit: async (kind, input = {}) => (await submitJob(engine, { scope, kind, input, correlationId: 'test' })).row,
    hearAll: async (first = lives) => {
      let made: number | undefined;
      for (let bell = bells.shift(); bell !== undefined; bell = bells.shift()) {
        const process = world.process(made === undefined ? first : lives);
        void createWorker(process).hear(bell);
        await clock.advance(seconds(2));
        made ??= calls;
      }
      return made ?? 0;
    },
    relay: async () => {
      const changes = store.changes.slice(relayed);
      relayed += (await relayChanges({ ...engine, effects: createEffects(engine) }, changes)) ?? changes.length;
    },
    carryOn: async (id) => {
      for (let turn = 0; turn < 12 && !isTerminal(world.row(id).status); turn++) {
        await world.hearAll();
        await world.relay();
        await clock.advance(minutes(2));
        await sweep(engine);
      }
      await world.relay();
      return world.row(id);
    },
    row: (id) => store.row({ ...scope, id })!,
    all: (kind) =>
      [...new Map(store.changes.map(({ after }) => [after.id, after])).values()].filter((row) => row.kind === kind),
  };
  return world;
}
