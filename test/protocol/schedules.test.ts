// A schedule under sweeps and ticks that come together, late, twice or not at all, crash at any call, and lose answers.
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { seededChance } from '../../lib/core/chance.ts';
import { derivedId } from '../../lib/core/ids.ts';
import { silentLog } from '../../lib/core/log.ts';
import { type EpochMs, epochMs, later } from '../../lib/core/time.ts';
import { StoreUnavailable } from '../../lib/job/ports.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { createRegistry, defineJob } from '../../lib/job/registry.ts';
import { type JobRow, refOf } from '../../lib/job/row.ts';
import { advance } from '../../lib/job/schedule/advance.ts';
import { pauseSchedule, putSchedule, resumeSchedule, runSchedule } from '../../lib/job/schedule/manage.ts';
import { type ScheduleDefinition, scheduleRef } from '../../lib/job/schedule/schedule.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { isTerminal } from '../../lib/job/status.ts';
import { writeRule } from '../../lib/job/write.ts';
import { aJobRow, builtAt } from '../../lib/testing/builders.ts';
import { createMemoryObjects } from '../../lib/testing/memory-objects.ts';
import { createMemoryStore, type MemoryStore } from '../../lib/testing/memory-store.ts';

const SEEDS = 50;
const EVERY = 30;
const scope = { tenant: aJobRow().tenant, workspace: aJobRow().workspace };
const ref = scheduleRef(scope, 'often');
const noted = defineJob({ kind: 'noted', input: z.unknown(), run: async () => null });
const TICK = 'system.schedule-tick';

const aDefinition = (more: Partial<ScheduleDefinition>): ScheduleDefinition => ({
  ...{ kind: 'noted', input: 'null', timing: { everySeconds: EVERY, anchor: builtAt }, anchored: true },
  ...{ overlap: 'allow', catchUp: 'all', catchUpLimit: 100 },
  ...more,
});

/** Calls of the store wait for their turn; while `faulty`, answers are lost and callers die. */
function aWorld(seed: number) {
  const chance = seededChance(seed);
  const state: { now: EpochMs; faulty: boolean } = { now: builtAt, faulty: true };
  const waiting: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => waiting.push(resolve));
  const clock = { now: () => state.now, monotonic: () => state.now, sleep: turn };
  const memory = createMemoryStore({ clock });
  const dead = () => new Promise<never>(() => undefined);
  const slow = new Proxy<MemoryStore>(memory, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        await turn();
        if (state.faulty && chance.next() < 0.02) return dead();
        const answer: unknown = await (member as (...given: unknown[]) => unknown)(...args);
        if (state.faulty && chance.next() < 0.04) throw new StoreUnavailable('the answer was lost');
        return state.faulty && chance.next() < 0.02 ? dead() : answer;
      };
    },
  });
  const engine = {
    store: slow,
    ringer: { ring: async () => undefined, isIdle: async () => true },
    executions: { start: async () => undefined, probe: async () => 'unknown' as const },
    objects: createMemoryObjects(),
    registry: createRegistry([noted]),
    settings: engineDefaults,
    log: silentLog,
    clock,
    chance,
  };
  const step = async () => {
    waiting.splice(Math.floor(chance.next() * waiting.length), 1)[0]?.();
    for (let yields = 0; yields < 25; yields++) await Promise.resolve();
  };
  return { chance, state, engine, memory, step, heard: new Set<string>(), errors: [] as string[] };
}
type World = ReturnType<typeof aWorld>;

const rows = ({ memory }: World): JobRow[] => [
  ...new Map(memory.changes.map(({ after }) => [after.id, after])).values(),
];
const runs = (world: World): JobRow[] => rows(world).filter(({ kind }) => kind === 'noted');

function begin(world: World, work: Promise<unknown>): void {
  work.catch((thrown: unknown) => {
    const allowed = ['StoreUnavailable', 'CONFLICT'];
    const name = (thrown as { code?: string }).code ?? (thrown as Error).name;
    if (!allowed.includes(name)) world.errors.push(String(thrown));
  });
}

/** Hears each tick whose time has come; loses some, and hears some twice. */
function hearTicks(world: World): void {
  for (const tick of rows(world)) {
    if (tick.kind !== TICK || world.heard.has(tick.id) || (tick.notBefore ?? 0) > world.state.now) continue;
    if (!world.state.faulty || world.chance.next() < 0.8) world.heard.add(tick.id);
    if (!world.state.faulty || world.chance.next() < 0.8) begin(world, advance(world.engine, ref));
  }
}

async function endRun({ engine }: World, row: JobRow): Promise<void> {
  const now = engine.clock.now();
  const owner = derivedId('own', row.id, String(now));
  const leaseUntil = later(now, engine.settings.lease);
  const gates = row.gated === true ? { gates: true as const } : {};
  const claim = { epoch: row.epoch, owner, leaseUntil, now, heldBy: 'worker', dueAt: leaseUntil, ...gates } as const;
  const claimed = await writeRule(engine, refOf(row), 'claim', claim);
  if (claimed.kind === 'applied')
    await writeRule(engine, refOf(row), 'succeed', { epoch: claimed.row.epoch, owner, now });
}

/** A while of the world: `acts` are drawn at times. */
async function live(world: World, length: number, acts: readonly (() => Promise<unknown>)[] = []): Promise<void> {
  const until = world.state.now + length;
  let swept = 0;
  while (world.state.now < until) {
    world.state.now = epochMs(world.state.now + Math.floor(world.chance.next() * 3000));
    if (world.state.now - swept >= 60_000) {
      swept = world.state.now;
      for (let reaper = 0; reaper < 2; reaper++) begin(world, sweep(world.engine));
    }
    hearTicks(world);
    const act = acts[Math.floor(world.chance.next() * acts.length * 20)];
    if (act !== undefined) begin(world, act());
    for (let steps = 0; steps < 40; steps++) await world.step();
  }
}

const timesUntil = (now: number): number[] =>
  Array.from({ length: Math.floor((now - builtAt) / (EVERY * 1000)) }, (_, at) => builtAt + (at + 1) * EVERY * 1000);
const timeOf = ({ correlationId }: JobRow): number => Date.parse(correlationId.split('/')[2] ?? '');

describe('the times of a schedule', () => {
  it('each have exactly one run, whatever is lost, doubled or dies', async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const world = aWorld(seed);
      world.state.faulty = false;
      begin(world, putSchedule(world.engine, ref, aDefinition({})));
      await live(world, 1);
      world.state.faulty = true;
      await live(world, 240_000);
      world.state.faulty = false;
      const end = world.state.now;
      await live(world, 200_000);
      const found = runs(world).map(timeOf).sort();
      expect({ seed, errors: world.errors }).toEqual({ seed, errors: [] });
      expect({ seed, found: found.filter((time) => time <= end) }).toEqual({ seed, found: timesUntil(end) });
      expect(new Set(found).size).toBe(found.length);
    }
  });

  it('are none while it is paused, and one at most after whatever people do with it', async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const world = aWorld(seed);
      const { engine } = world;
      await Promise.all(
        [live(world, 20_000), putSchedule(engine, ref, aDefinition({})).catch(() => undefined)].slice(0, 1),
      );
      begin(world, putSchedule(engine, ref, aDefinition({})));
      const acts = [
        () => pauseSchedule(engine, ref),
        () => resumeSchedule(engine, ref),
        () => putSchedule(engine, ref, aDefinition({ startWithinSeconds: Math.ceil(world.chance.next() * 100) })),
      ];
      await live(world, 240_000, acts);
      world.state.faulty = false;
      await live(world, 10_000);
      const found = runs(world).map(timeOf);
      expect({ seed, twice: found.length - new Set(found).size }).toEqual({ seed, twice: 0 });
      begin(world, pauseSchedule(engine, ref));
      await live(world, 10_000);
      const before = runs(world).length;
      await live(world, 120_000);
      expect({ seed, after: runs(world).length }).toEqual({ seed, after: before });
    }
  });

  it('never have two runs at once where they are skipped or replaced', async () => {
    for (const overlap of ['skip', 'replace'] as const) {
      let replaced = 0;
      for (let seed = 1; seed <= SEEDS; seed++) {
        const world = aWorld(seed);
        const active = () =>
          runs(world).filter(({ status, cancelRequested }) => !isTerminal(status) && !cancelRequested);
        begin(world, putSchedule(world.engine, ref, aDefinition({ overlap })));
        const finish = () => {
          const run = active()[0];
          return run === undefined ? Promise.resolve() : endRun(world, run);
        };
        for (let round = 0; round < 20; round++) {
          await live(world, 12_000, [finish, () => runSchedule(world.engine, ref).catch(() => undefined)]);
          expect({ seed, overlap, active: active().length > 1 }).toEqual({ seed, overlap, active: false });
        }
        expect({ seed, errors: world.errors }).toEqual({ seed, errors: [] });
        replaced += runs(world).filter(({ status }) => status === 'cancelled').length;
      }
      expect(replaced > 0).toBe(overlap === 'replace');
    }
  });

  it('are looked after: an active schedule is always due, whoever died', async () => {
    const world = aWorld(7);
    begin(world, putSchedule(world.engine, ref, aDefinition({})));
    for (let round = 0; round < 60; round++) {
      await live(world, 10_000);
      const { nextAt, dueAt } = (await world.memory.getSide(ref)) as { nextAt: number; dueAt: number };
      expect(dueAt).toBeLessThanOrEqual(Math.max(nextAt, world.state.now) + engineDefaults.rearmCap);
    }
  });
});
