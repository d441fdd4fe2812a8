// Seeded relays over jobs that end, are redriven, end again, are discarded and expire: batches repeated, late and cut short, answers
// lost. Once every change was relayed after it happened, each group counts exactly the jobs that are listed under its fingerprint.
import { describe, expect, it } from 'vitest';
import { type Chance, seededChance } from '../../lib/core/chance.ts';
import type { JobId } from '../../lib/core/ids.ts';
import { silentLog } from '../../lib/core/log.ts';
import { epochMs, systemClock } from '../../lib/core/time.ts';
import { createEffects } from '../../lib/events/effects.ts';
import { type Change, relayChanges } from '../../lib/events/relay.ts';
import { deadGroups, groupMembers } from '../../lib/job/dead/dead-groups.ts';
import { StoreUnavailable } from '../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../lib/job/row.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { aJobRow, builtAt } from '../../lib/testing/builders.ts';
import { createMemoryObjects } from '../../lib/testing/memory-objects.ts';
import { createMemoryStore, type MemoryStore } from '../../lib/testing/memory-store.ts';

const fingerprints = ['aa', 'bb'];
const ids = ['A', 'B', 'C', 'D'].map((end) => `job_${end.padStart(26, '0')}` as unknown as JobId);
const scope = { tenant: aJobRow().tenant, workspace: aJobRow().workspace };

interface World {
  readonly chance: Chance;
  readonly store: MemoryStore;
  readonly changes: Change[];
  now: number;
}

const below = (chance: Chance, limit: number): number => Math.floor(chance.next() * limit);

function step({ chance, store, changes, now }: World): void {
  const ref = { ...scope, id: ids[below(chance, ids.length)]! };
  const before = store.row(ref);
  const after = moved(before, ref.id, chance, now);
  if (after === undefined) store.forget(ref);
  else store.put(after);
  changes.push({ ...(before && { before }), ...(after && { after }) });
}

function moved(before: JobRow | undefined, id: JobId, chance: Chance, now: number): JobRow | undefined {
  const version = (before?.version ?? now) + 1;
  if (before === undefined) return aJobRow({ id, createdAt: epochMs(now), version });
  if (before.status === 'queued') {
    const fingerprint = fingerprints[below(chance, 2)]!;
    const error = { code: 'CRASHED', detail: 'no', retriable: true, fingerprint };
    return { ...before, version, status: chance.next() < 0.5 ? 'dead' : 'failed', error, finishedAt: epochMs(now) };
  }
  const { error: _error, finishedAt: _end, discarded: _seen, ...alive } = before;
  const what = chance.next();
  if (what < 0.2) return undefined;
  return what < 0.4 ? { ...before, version, discarded: true } : { ...alive, version, status: 'queued' };
}

async function relay({ chance, store, changes, now }: World, from: number, to: number): Promise<number> {
  const faulty = {
    ...store,
    transact: async (...write: Parameters<MemoryStore['transact']>) => {
      const luck = chance.next();
      if (luck < 0.1) throw new StoreUnavailable('lost before');
      const answer = await store.transact(...write);
      if (luck < 0.2) throw new StoreUnavailable('lost after');
      return answer;
    },
  };
  const clock = { ...systemClock, now: () => epochMs(now) };
  const objects = createMemoryObjects();
  const ringer = { ring: async () => undefined, isIdle: async () => true };
  const engine = { store: faulty, objects, ringer, clock, chance, settings: engineDefaults, log: silentLog };
  const failed = await relayChanges({ ...engine, effects: createEffects(engine) }, changes.slice(from, to));
  return failed === undefined ? to : from + failed;
}

async function run(seed: number): Promise<World> {
  const chance = seededChance(seed);
  const world: World = {
    chance,
    now: builtAt,
    changes: [],
    store: createMemoryStore({ clock: { now: () => builtAt } }),
  };
  let relayed = 0;
  for (let turn = 0; turn < 60; turn++) {
    world.now += 1;
    if (chance.next() < 0.6) step(world);
    else if (chance.next() < 0.5) await relay(world, below(chance, relayed + 1), world.changes.length);
    else relayed = await relay(world, relayed, Math.min(world.changes.length, relayed + 5));
  }
  while (relayed < world.changes.length) relayed = await relay(world, relayed, world.changes.length);
  return world;
}

const listed = ({ store }: World, fingerprint: string): string[] =>
  ids
    .flatMap((id) => store.row({ ...scope, id }) ?? [])
    .filter((row) => row.error?.fingerprint === fingerprint && row.discarded !== true)
    .map((row) => refOf(row).id)
    .sort();

describe('dead groups', () => {
  it('count exactly the jobs that are listed, whatever was relayed twice, late or in part', async () => {
    let most = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const world = await run(seed);
      const groups = (await deadGroups(world.store, scope, { limit: 10 })).items;
      for (const fingerprint of fingerprints) {
        const wanted = listed(world, fingerprint);
        const members = (await groupMembers(world.store, scope, fingerprint, { limit: 10 })).items;
        const group = groups.find((each) => each.fingerprint === fingerprint);
        expect([seed, members.map(({ id }) => id).sort()]).toEqual([seed, wanted]);
        expect([seed, group?.count]).toEqual([seed, wanted.length === 0 ? undefined : wanted.length]);
        most = Math.max(most, wanted.length);
      }
    }
    expect(most).toBeGreaterThan(1);
  });
});
