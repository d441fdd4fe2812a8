import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { systemClock } from '../../../lib/core/time.ts';
import { placesEffect } from '../../../lib/events/effects/places.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import { refOf } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { counterOf, heldOf, takeWrites } from '../../../lib/job/gates/slots.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { createMemoryStore } from '../../../lib/testing/memory-store.ts';

const clock = { ...systemClock, now: () => builtAt };
const slots = [{ key: 'k', limit: 1 }];

async function aRunWithAPlace() {
  const store = createMemoryStore({ clock });
  const rung: Doorbell[] = [];
  const ringer = { ring: async (bell: Doorbell) => void rung.push(bell), isIdle: async () => true };
  const engine = { store, ringer, clock, chance: seededChance(1), settings: engineDefaults, log: silentLog };
  const running = aJobRow({ status: 'running', slots, gated: true });
  const waiting = aJobRow({
    ...{ id: 'job_01HF7YAT00BBBBBBBBBBBBBBBB' as never, status: 'parked', parked: 'slot:k', slots, gated: true },
  });
  for (const row of [running, waiting]) store.put(row);
  await store.transact(takeWrites(running, slots, running.epoch, builtAt), 'w_take' as never);
  const held = async () => heldOf(await store.getSide(counterOf(running, 'k')));
  return { store, rung, running, waiting, held, effect: placesEffect(engine) };
}

describe('the places of a claim whose end nobody followed up', () => {
  it('are given back once by the relay, which wakes the oldest that waits for one', async () => {
    const { store, rung, running, waiting, held, effect } = await aRunWithAPlace();
    const ended = aJobRow({ status: 'dead', slots, version: running.version + 1 });
    const change = { before: running, after: ended };
    expect(await held()).toBe(1);
    expect(effect.keyOf(change)).toBe(running.id);
    await effect.apply(change);
    expect(await held()).toBe(0);
    expect(store.row(refOf(waiting))?.status).toBe('queued');
    expect(rung).toEqual([{ ref: refOf(waiting), epoch: waiting.epoch }]);
    await effect.apply(change);
    expect(await held()).toBe(0);
    expect(rung).toHaveLength(1);
  });

  it('are left alone while the job runs, and for jobs without any', async () => {
    const { running, effect } = await aRunWithAPlace();
    expect(effect.keyOf({ before: running, after: { ...running, version: running.version + 1 } })).toBeUndefined();
    const plain = aJobRow({ status: 'running' });
    expect(effect.keyOf({ before: plain, after: aJobRow({ status: 'succeeded' }) })).toBeUndefined();
  });
});
