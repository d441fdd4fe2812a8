// At most one job that has not ended has a dedup key, whatever submits, ends and redrives come together.
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { type Chance, seededChance } from '../../lib/core/chance.ts';
import { derivedId } from '../../lib/core/ids.ts';
import { silentLog } from '../../lib/core/log.ts';
import { type EpochMs, epochMs, later, millis } from '../../lib/core/time.ts';
import { cancelJob } from '../../lib/job/run/cancel.ts';
import { retakeDedup } from '../../lib/job/submit/dedup.ts';
import { StoreUnavailable } from '../../lib/job/ports.ts';
import { createRegistry, defineJob } from '../../lib/job/registry.ts';
import { type JobRow, refOf } from '../../lib/job/row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { isTerminal } from '../../lib/job/status.ts';
import { submitJob } from '../../lib/job/submit/submit.ts';
import { writeRule, writeTogether } from '../../lib/job/write.ts';
import { aJobRow, builtAt } from '../../lib/testing/builders.ts';
import { createMemoryObjects } from '../../lib/testing/memory-objects.ts';
import { createMemoryStore, type MemoryStore } from '../../lib/testing/memory-store.ts';

const SCHEDULES = 400;
const KEYS = ['a', 'b'];
const scope = { tenant: aJobRow().tenant, workspace: aJobRow().workspace };
const noted = defineJob({ kind: 'noted', input: z.unknown(), run: async () => null });

const pick = <T>(chance: Chance, from: readonly T[]): T | undefined => from[Math.floor(chance.next() * from.length)];

/** Every call of the store waits for its turn, drawn by chance; an answer is lost at times, after the write was applied. */
function turnTaking(store: MemoryStore, chance: Chance) {
  const waiting: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => waiting.push(resolve));
  const slow = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        await turn();
        const answer: unknown = await (member as (...given: unknown[]) => unknown)(...args);
        if (chance.next() < 0.05) throw new StoreUnavailable('the answer was lost');
        return answer;
      };
    },
  });
  const step = async () => {
    waiting.splice(Math.floor(chance.next() * waiting.length), 1)[0]?.();
    for (let yields = 0; yields < 20; yields++) await Promise.resolve();
  };
  return { store: slow, step, isIdle: () => waiting.length === 0 };
}

function aWorld(seed: number) {
  const chance = seededChance(seed);
  let now: EpochMs = builtAt;
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (by: number) => {
      now = later(now, millis(Math.ceil(by)));
    },
  };
  const tick = () => {
    now = epochMs(now + 1);
  };
  const active = new Map<string, Set<string>>();
  const broken: string[] = [];
  const memory = createMemoryStore({
    clock,
    applied: ({ after }) => {
      const holders = active.get(after.dedupKey ?? '') ?? new Set();
      if (isTerminal(after.status)) holders.delete(after.id);
      else holders.add(after.id);
      active.set(after.dedupKey ?? '', holders);
    },
  });
  const turns = turnTaking(memory, chance);
  const engine = {
    store: turns.store,
    ringer: { ring: async () => undefined, isIdle: async () => true },
    objects: createMemoryObjects(),
    registry: createRegistry([noted]),
    settings: engineDefaults,
    log: silentLog,
    clock,
    chance,
  };
  const check = () => {
    for (const [key, holders] of active) if (holders.size > 1) broken.push(`${key}: ${[...holders].join(' and ')}`);
  };
  return { chance, engine, memory, turns, broken, check, tick };
}
type World = ReturnType<typeof aWorld>;

/** One thing that somebody does; what refuses it is as good an answer as any. */
async function act({ chance, engine, memory }: World, number: number): Promise<void> {
  const rows = [...new Map(memory.changes.map(({ after }) => [after.id, after])).values()];
  const row = pick(chance, rows);
  const doings = [
    () => submit(engine, chance, number),
    () => submit(engine, chance, number),
    () => row && cancelJob(engine, refOf(row), 'enough'),
    () => row && settle(engine, row),
    () => row && redrive(engine, row),
  ];
  await Promise.resolve(pick(chance, doings)?.()).catch((thrown: unknown) => {
    const code = (thrown as { code?: string }).code ?? (thrown as Error).name;
    if (!['DEDUP_KEY_HELD', 'CONFLICT', 'StoreUnavailable'].includes(code)) throw thrown;
  });
}

const submit = (engine: World['engine'], chance: Chance, number: number) =>
  submitJob(engine, {
    scope,
    kind: 'noted',
    input: null,
    correlationId: 'c',
    id: derivedId('job', String(chance.next() < 0.2 ? 0 : number)),
    dedupKey: pick(chance, KEYS),
    onDuplicate: chance.next() < 0.5 ? 'keep' : 'replace',
  });

/** Whoever runs the job claims it, and it fails. */
async function settle(engine: World['engine'], row: JobRow): Promise<void> {
  const now = engine.clock.now();
  const owner = derivedId('own', row.id, String(now));
  const leaseUntil = later(now, engine.settings.lease);
  const claim = { epoch: row.epoch, owner, leaseUntil, now, heldBy: 'worker', dueAt: leaseUntil } as const;
  const claimed = await writeRule(engine, refOf(row), 'claim', claim);
  if (claimed.kind === 'refused') return;
  const error = { code: 'HANDLER_TERMINAL', detail: 'no', retriable: false };
  await writeRule(engine, refOf(row), 'fail', { epoch: claimed.row.epoch, owner, now, error });
}

async function redrive(engine: World['engine'], row: JobRow): Promise<void> {
  const writes = await retakeDedup(engine, row);
  const params = { version: row.version, dueAt: engine.clock.now() };
  await writeTogether(engine, { ref: refOf(row), rule: 'redrive', params }, writes);
}

async function play(seed: number): Promise<{ readonly broken: readonly string[]; readonly redrives: number }> {
  const world = aWorld(seed);
  const acts = new Set<Promise<void>>();
  for (let number = 1; number <= 30 || acts.size > 0; ) {
    if (number <= 30 && acts.size < 4) {
      const begun = act(world, number)
        .catch((thrown: unknown) => void world.broken.push(String(thrown)))
        .finally(() => acts.delete(begun));
      acts.add(begun);
      number += 1;
    }
    await world.turns.step();
    world.tick();
    world.check();
    if (acts.size > 0 && world.turns.isIdle()) await Promise.race([...acts, Promise.resolve()]);
  }
  return {
    broken: world.broken,
    redrives: world.memory.changes.filter(({ write }) => write.name === 'redrive').length,
  };
}

describe('a dedup key', () => {
  it('never has two jobs that have not ended, whatever races', async () => {
    let redrives = 0;
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const played = await play(seed);
      expect({ seed, broken: played.broken }).toEqual({ seed, broken: [] });
      redrives += played.redrives;
    }
    expect(redrives).toBeGreaterThan(100);
  });
});
