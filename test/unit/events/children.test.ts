import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { Fault } from '../../../lib/core/fault.ts';
import { type JobRef, newId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { systemClock } from '../../../lib/core/time.ts';
import { mayPass } from '../../../lib/events/effect.ts';
import { childrenCancelledEffect } from '../../../lib/events/effects/children.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { announceChild } from '../../../lib/job/waits/children.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { createMemoryStore } from '../../../lib/testing/memory-store.ts';

const clock = { ...systemClock, now: () => builtAt };

/** A cancelled parent with three queued children; reading the row of one of them throws what the test wants. */
async function aFamily() {
  const memory = createMemoryStore({ clock });
  const broken = new Map<string, unknown>();
  const get = async (ref: JobRef) => {
    if (broken.has(String(ref.id))) throw broken.get(String(ref.id));
    return memory.get(ref);
  };
  const ringer = { ring: async () => undefined, isIdle: async () => true };
  const chance = seededChance(1);
  const engine = { store: { ...memory, get }, ringer, clock, chance, settings: engineDefaults, log: silentLog };
  const parent = aJobRow({ status: 'cancelled', finishedAt: builtAt, dueAt: undefined });
  memory.put(parent);
  const children: JobRow[] = [];
  for (let n = 0; n < 3; n++) {
    const child = aJobRow({ id: newId('job', builtAt, chance), parentId: parent.id });
    await announceChild(engine, parent, child.id, child.kind);
    memory.put(child);
    children.push(child);
  }
  const effect = childrenCancelledEffect(engine);
  const apply = () =>
    effect.apply({ after: parent }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  const statuses = () => children.map((child) => memory.row(refOf(child))?.status);
  return { parent, children, broken, apply, statuses, effect, memory };
}

describe('the children of a job that was cancelled', () => {
  it('are cancelled with it, once', async () => {
    const { apply, statuses, effect, parent, memory } = await aFamily();
    expect(effect.keyOf({ after: parent })).toBe(parent.id);
    expect(await apply()).toBeUndefined();
    expect(statuses()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const writes = memory.changes.length;
    expect(await apply()).toBeUndefined();
    expect(memory.changes).toHaveLength(writes);
  });

  it.each([
    ['does not answer', new StoreUnavailable('throttled'), true],
    ['cannot be read', new Fault('ROW_UNREADABLE', 'Its format is 2.'), false],
    ['moved on each time', new Fault('CONFLICT', 'The job moved on each time.'), true],
  ])('are cancelled beside one that %s', async (_, thrown, comesAgain) => {
    const { children, broken, apply, statuses } = await aFamily();
    broken.set(String(children[0]?.id), thrown);
    expect(mayPass(await apply())).toBe(comesAgain);
    expect(statuses()).toEqual(['queued', 'cancelled', 'cancelled']);
    broken.clear();
    expect(await apply()).toBeUndefined();
    expect(statuses()).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('let an outage bring the change again, whatever else went wrong', async () => {
    const { children, broken, apply } = await aFamily();
    broken.set(String(children[0]?.id), new Fault('ROW_UNREADABLE', 'Its format is 2.'));
    broken.set(String(children[2]?.id), new StoreUnavailable('throttled'));
    expect(mayPass(await apply())).toBe(true);
  });

  it('that are gone are passed over', async () => {
    const { children, memory, apply, statuses } = await aFamily();
    memory.forget(refOf(children[1] as JobRow));
    expect(await apply()).toBeUndefined();
    expect(statuses()).toEqual(['cancelled', undefined, 'cancelled']);
  });
});
