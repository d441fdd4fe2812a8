// Workers, a sweep and a queue over one store in memory, on virtual time. Every call of the store takes a moment of its own, so that what
// runs side by side meets in every order; a process may die after a claim, or after a settle and before what follows it.
import * as z from 'zod';
import { type Chance, seededChance } from '../../../lib/core/chance.ts';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { type DurationMs, type EpochMs, epochMs, minutes, seconds } from '../../../lib/core/time.ts';
import type { Engine } from '../../../lib/job/engine.ts';
import { createWorker } from '../../../lib/job/run/worker.ts';
import { createHeartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import type { GateOptions } from '../../../lib/job/submit/new-gates.ts';
import type { Doorbell, JobStore } from '../../../lib/job/ports.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { isTerminal } from '../../../lib/job/status.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import { takeJob } from '../../../lib/job/run/take.ts';
import { builtAt } from '../../../lib/testing/builders.ts';
import { createMemoryObjects } from '../../../lib/testing/memory-objects.ts';
import { createMemoryStore, type MemoryStore } from '../../../lib/testing/memory-store.ts';
import { createActor } from '../../../lib/testing/simulation/actor.ts';
import { createDraws } from '../../../lib/testing/simulation/draws.ts';
import { createLoop } from '../../../lib/testing/simulation/loop.ts';

export const scope = { tenant: 'acme' as TenantId, workspace: 'main' as WorkspaceId };

export interface GateWorldOptions {
  readonly workers?: number;
  /** The chance that a process dies after a claim, and that it dies between a settle and what it gives back. */
  readonly deaths?: number;
  /** Told of each applied change of a job. */
  readonly changed?: (row: JobRow, before: JobRow | undefined, now: EpochMs) => void;
  readonly settings?: Partial<Engine['settings']>;
}

/** Each job takes `takes` ms of virtual time. */
const work = defineJob({
  kind: 'work',
  input: z.object({ takes: z.number() }),
  crashes: 100,
  run: async (ctx, { takes }) => {
    await ctx.clock.sleep(takes as unknown as DurationMs);
    return null;
  },
});

export function createGateWorld(seed: number, { workers = 4, deaths = 0, changed, settings }: GateWorldOptions = {}) {
  const chance = seededChance(seed);
  const loop = createLoop(builtAt, () => undefined);
  const clock = loop.clockOf(createActor(createDraws(seed), 'worker', 1, { skew: 0, release: 0 }));
  const memory: MemoryStore = createMemoryStore({
    clock,
    applied: ({ before, after }) => changed?.(after, before, clock.now()),
  });
  const queue: { readonly bell: Doorbell; readonly at: number }[] = [];
  const base: Engine = {
    store: slowed(memory, () => loop.pause(undefined, chance.next() * 20)),
    ringer: {
      ring: async (bell, _lane, _kind, delay = 0 as DurationMs) => void queue.push({ bell, at: clock.now() + delay }),
      isIdle: async () => queue.every(({ at }) => at > clock.now()),
    },
    executions: { start: async () => undefined, probe: async () => 'unknown' },
    objects: createMemoryObjects(),
    registry: createRegistry([work]),
    heartbeats: createHeartbeats({ store: memory, clock, settings: engineDefaults }),
    clock,
    chance,
    settings: { ...engineDefaults, ...settings },
    log: silentLog,
  };
  const state = { over: false };
  const next = (): Doorbell | undefined => {
    const at = queue.findIndex((each) => each.at <= clock.now());
    return at < 0 ? undefined : queue.splice(at, 1)[0]?.bell;
  };
  const runWorker = async (): Promise<void> => {
    while (!state.over) {
      const bell = next();
      if (bell === undefined) await clock.sleep(50 as unknown as DurationMs);
      else if (chance.next() < deaths) await takeJob(base, bell);
      else if (chance.next() < deaths) {
        void createWorker({ ...base, store: dyingOnRelease(base.store) }).hear(bell);
        await clock.sleep(50 as unknown as DurationMs);
      } else await createWorker(base).hear(bell);
    }
  };
  const runSweep = async (): Promise<void> => {
    while (!state.over) {
      await clock.sleep(seconds(60));
      await sweep(base);
    }
  };
  const play = async <T>(promise: Promise<T>): Promise<T> => {
    const settled = { yes: false };
    const end = () => {
      settled.yes = true;
    };
    promise.then(end, end);
    await new Promise((resolve) => setImmediate(resolve));
    await loop.run(Number.POSITIVE_INFINITY, () => settled.yes);
    return promise;
  };
  const submit = (takes: number, gates: GateOptions) =>
    submitJob(base, { scope, kind: 'work', input: { takes }, correlationId: 'cor', ...gates });
  const rows = async () => (await memory.list(scope, {}, { limit: 10_000 })).items;
  const allEnded = async () => (await rows()).every(({ status }) => isTerminal(status));
  const untilAllEnded = async (atMost: DurationMs) => {
    const giveUp = clock.now() + atMost;
    while (!(await allEnded()) && clock.now() < giveUp) await clock.sleep(seconds(1));
    return rows();
  };
  void runSweep();
  for (let at = 0; at < workers; at++) void runWorker();
  return {
    engine: base,
    memory,
    play,
    submit,
    rows,
    untilAllEnded,
    clock,
    stop: async () => {
      state.over = true;
      await play(clock.sleep(minutes(2)));
    },
  };
}

export type GateWorld = ReturnType<typeof createGateWorld>;

function slowed(store: JobStore, moment: () => Promise<void>): JobStore {
  return new Proxy(store, {
    get:
      (target, name: keyof JobStore) =>
      async (...args: never[]) => {
        await moment();
        const answer = (target[name] as (...given: never[]) => unknown)(...args);
        const answered = await answer;
        await moment();
        return answered;
      },
  });
}

/** A process that is gone when it comes to give places back. */
const dyingOnRelease = (store: JobStore): JobStore =>
  new Proxy(store, {
    get: (target, name: keyof JobStore) =>
      name === 'transact'
        ? (...[writes, token]: Parameters<JobStore['transact']>) =>
            writes.some((write) => 'side' in write && write.rule === 'remove')
              ? new Promise(() => undefined)
              : target.transact(writes, token)
        : target[name],
  });

/** Each start of a job with this row's gates: a claim. */
export const isStart = (row: JobRow, before: JobRow | undefined): boolean =>
  row.status === 'running' && before?.status === 'queued';

export const at = (ms: number): EpochMs => epochMs(builtAt + ms);
export const drawn = (chance: Chance, from: number, to: number): number =>
  from + Math.floor(chance.next() * (to - from + 1));
