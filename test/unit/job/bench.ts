// A whole engine in memory on virtual time. `play` runs the world until a promise has settled.
import * as z from 'zod';
import { seededChance } from '../../../lib/core/chance.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { type DurationMs, epochMs } from '../../../lib/core/time.ts';
import type { Engine } from '../../../lib/job/engine.ts';
import { createHeartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import type { Doorbell, ProbeAnswer } from '../../../lib/job/ports.ts';
import { type AnyKind, createRegistry, defineJob, type JobContext } from '../../../lib/job/registry.ts';
import type { JobRow, Lane } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { builtAt } from '../../../lib/testing/builders.ts';
import { createMemoryObjects } from '../../../lib/testing/memory-objects.ts';
import { createMemoryStore } from '../../../lib/testing/memory-store.ts';
import { createActor } from '../../../lib/testing/simulation/actor.ts';
import { createDraws } from '../../../lib/testing/simulation/draws.ts';
import { createLoop } from '../../../lib/testing/simulation/loop.ts';

export interface Ring {
  readonly bell: Doorbell;
  readonly lane: Lane;
  readonly delay: DurationMs | undefined;
}

/** A kind whose handler is the test's. */
export const aKind = (run: (ctx: JobContext, input: unknown) => Promise<unknown>, more: Partial<AnyKind> = {}) =>
  ({ ...defineJob({ kind: 'echo', input: z.unknown(), run }), ...more }) as AnyKind;

/** Whatever was started has come to its first wait. */
const begun = () => new Promise((resolve) => setImmediate(resolve));

export function aBench(...kinds: AnyKind[]) {
  const chance = seededChance(1);
  const loop = createLoop(builtAt, () => undefined);
  const actor = createActor(createDraws(1), 'worker', 1, { skew: 0, release: 0 });
  const clock = loop.clockOf(actor);
  const store = createMemoryStore({ clock });
  const rings: Ring[] = [];
  const state = { idle: true, ringFails: false, probe: 'running' as ProbeAnswer, started: [] as Doorbell[] };
  const engine: Engine = {
    store,
    ringer: {
      ring: async (bell, lane, _kind, delay) => {
        if (state.ringFails) throw new Error('the queue is down');
        rings.push({ bell, lane, delay });
      },
      isIdle: async () => state.idle,
    },
    executions: {
      start: async (bell) => void state.started.push(bell),
      probe: async () => state.probe,
    },
    objects: createMemoryObjects(),
    registry: createRegistry(kinds),
    heartbeats: createHeartbeats({ store, clock, settings: engineDefaults }),
    clock,
    chance,
    settings: engineDefaults,
    log: silentLog,
  };
  const play = async <T>(work: Promise<T>): Promise<T> => {
    const settled = { yes: false };
    const end = () => {
      settled.yes = true;
    };
    work.then(end, end);
    await begun();
    await loop.run(Number.POSITIVE_INFINITY, () => settled.yes);
    return work;
  };
  const at = (after: number) => epochMs(builtAt + after);
  const waitUntil = async (after: number) => {
    await begun();
    await loop.run(builtAt + after, () => false);
  };
  const put = (row: JobRow): JobRow => {
    store.put(row);
    return row;
  };
  return { engine, store, rings, state, loop, play, at, waitUntil, put };
}

export const bellOf = (row: JobRow): Doorbell => ({
  ref: { tenant: row.tenant, workspace: row.workspace, id: row.id },
  epoch: row.epoch,
});
