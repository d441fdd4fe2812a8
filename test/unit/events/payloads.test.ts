// What a row refers to lives as long as the row: neither shorter, whatever the relay is late with, nor longer. On the embedded store.
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { derivedId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { days, epochMs, systemClock } from '../../../lib/core/time.ts';
import { createEffects } from '../../../lib/events/effects.ts';
import { payloadsEffect } from '../../../lib/events/effects/payloads.ts';
import { relayChanges } from '../../../lib/events/relay.ts';
import { redriveJob } from '../../../lib/job/dead/redrive.ts';
import { savePayload } from '../../../lib/job/payload.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { type JobRow, type PayloadRef, refOf } from '../../../lib/job/row.ts';
import { cancelJob } from '../../../lib/job/run/cancel.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import type { Stage } from '../../../lib/pipeline/stage.ts';
import { saveOutput, type StoredOutput } from '../../../lib/pipeline/stage-output.ts';
import { createSqliteStore } from '../../../lib/store/sqlite/store.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { createMemoryObjects } from '../../../lib/testing/memory-objects.ts';

const echo = defineJob({ kind: 'echo', input: z.unknown(), run: async () => null });
const { tenant, workspace } = aJobRow();
/** Beside the row, and in the object store. */
const sizes = { item: 2000, object: 70_000 } as const;

function aWorld() {
  let now = builtAt;
  const pass = (by: number) => {
    now = epochMs(now + by);
  };
  const clock = { ...systemClock, now: () => now };
  const [store, objects] = [createSqliteStore({ path: ':memory:', clock }), createMemoryObjects()];
  const ringer = { ring: async () => undefined, isIdle: async () => true };
  const parts = { store, objects, ringer, registry: createRegistry([echo]) };
  const engine = { ...parts, clock, chance: seededChance(1), settings: engineDefaults, log: silentLog };
  return {
    ...{ engine, store, objects, pass },
    /** Everything that has changed so far, each time anew. */
    relay: async () => relayChanges({ ...engine, effects: createEffects(engine) }, await store.changes(0, 1000)),
    isThere: async (row: JobRow, payload: PayloadRef) => {
      if ('item' in payload) return (await store.getPayload(refOf(row), payload.item)) !== undefined;
      return 'object' in payload && (await objects.get(payload.object)) !== undefined;
    },
    submit: async (size: number) => {
      const asked = { scope: { tenant, workspace }, kind: 'echo', input: 'x'.repeat(size), correlationId: 'c' };
      return (await submitJob(engine, { ...asked, id: derivedId('job', 'one') })).row;
    },
    /** As the store does some time after a row has expired. */
    expire: async () => {
      pass(days(31));
      await store.purgeExpired(now);
    },
    [Symbol.dispose]: () => store.close(),
  };
}

describe.each(Object.entries(sizes))('an input kept as an %s', (_, size) => {
  it('is there for as long as its row, and gone once the row is, however often that is told', async () => {
    using world = aWorld();
    const row = await world.submit(size);
    await cancelJob(world.engine, refOf(row), 'not wanted');
    await world.relay();
    expect(await world.isThere(row, row.input)).toBe(true);
    await world.expire();
    for (let times = 0; times < 2; times++) await world.relay();
    expect(await world.isThere(row, row.input)).toBe(false);
    expect(world.objects.keys()).toEqual([]);
  });

  it('is not taken from another life under the same id, whose submit comes before the relay hears of the first end', async () => {
    using world = aWorld();
    const first = await world.submit(size);
    await cancelJob(world.engine, refOf(first), 'not wanted');
    await world.expire();
    const second = await world.submit(size);
    expect(second.createdAt).toBeGreaterThan(first.createdAt);
    for (let times = 0; times < 2; times++) await world.relay();
    expect([await world.isThere(first, first.input), await world.isThere(second, second.input)]).toEqual([false, true]);
  });

  it('goes with a life that has expired where another takes its place before the store removed it', async () => {
    using world = aWorld();
    const first = await world.submit(size);
    await cancelJob(world.engine, refOf(first), 'not wanted');
    world.pass(days(31));
    const second = await world.submit(size);
    await world.relay();
    expect([await world.isThere(first, first.input), await world.isThere(second, second.input)]).toEqual([false, true]);
  });

  it('stays with a job that is redriven, though it had expired, and goes where another takes its place', async () => {
    using world = aWorld();
    const row = await world.submit(size);
    await cancelJob(world.engine, refOf(row), 'not wanted');
    world.pass(days(31));
    await redriveJob(world.engine, refOf(row));
    await world.expire();
    await world.relay();
    expect(await world.isThere(row, row.input)).toBe(true);
    await cancelJob(world.engine, refOf(row), 'not wanted');
    const { input } = await redriveJob(world.engine, refOf(row), { input: 'y'.repeat(size) });
    await world.relay();
    expect([await world.isThere(row, row.input), await world.isThere(row, input)]).toEqual([false, true]);
  });
});

describe('what a job made', () => {
  const stage = (name: string) => ({ name, output: z.unknown() }) as unknown as Stage;
  const outputsIn = ({ store }: ReturnType<typeof aWorld>, row: JobRow, ...outputs: readonly StoredOutput[]) =>
    Promise.all(
      outputs.map(async ({ key }) => (await store.getPayload(refOf(row), key.replace('item:', ''))) !== undefined),
    );

  it('goes with its row: its result, and the outputs of every stage', async () => {
    using world = aWorld();
    const { engine, objects } = world;
    const row = aJobRow({ status: 'succeeded' });
    const small = await saveOutput(engine, row, stage('small'), 'a', undefined);
    const large = await saveOutput(engine, row, stage('large'), 'b'.repeat(sizes.object), small);
    const last = await saveOutput(engine, row, stage('last'), 'c', large);
    const result = await savePayload(engine, refOf(row), 'result-1', JSON.stringify('r'.repeat(sizes.object)));
    const before = { ...row, result, stage: 'last', stageOutput: last.key };
    const effect = payloadsEffect(engine);
    const running = { ...before, status: 'running' as const, stageOutput: small.key };
    expect(effect.keyOf({ before: running, after: before })).toBeUndefined();
    expect([objects.keys().length, await outputsIn(world, row, small, last)]).toEqual([2, [true, true]]);

    expect(effect.keyOf({ before })).toBe(row.id);
    const nextLife = aJobRow({ createdAt: epochMs(row.createdAt + 1) });
    expect(effect.keyOf({ before: { ...row, result }, after: nextLife })).toBe(row.id);
    expect(effect.keyOf({ before: { ...row, stageOutput: last.key }, after: nextLife })).toBe(row.id);
    for (let times = 0; times < 2; times++) await effect.apply({ before });
    expect([objects.keys(), await outputsIn(world, row, small, last)]).toEqual([[], [false, false]]);
  });

  it('goes as far as a redrive goes back, and no further', async () => {
    using world = aWorld();
    const { engine, store } = world;
    const queued = await world.submit(1);
    const first = await saveOutput(engine, queued, stage('first'), 'a', undefined);
    const second = await saveOutput(engine, queued, stage('second'), 'b', first);
    const before = aJobRow({ ...queued, status: 'failed', stageOutput: second.key, finishedAt: builtAt });
    const after = { ...queued, stageOutput: first.key, redrives: 1 };
    const effect = payloadsEffect({ ...engine, store: { ...store, get: async () => after } });
    expect(effect.keyOf({ before, after })).toBe(queued.id);
    await effect.apply({ before, after });
    expect(await outputsIn(world, queued, first, second)).toEqual([true, false]);
  });

  it('stays where the row that is there now refers to it, as two lives of the release before may', async () => {
    using world = aWorld();
    const { engine, store } = world;
    const input = await savePayload(engine, refOf(aJobRow()), 'input', JSON.stringify('x'.repeat(sizes.item)));
    const [before, now] = [aJobRow({ status: 'dead', input }), aJobRow({ createdAt: epochMs(builtAt + 1), input })];
    const effect = payloadsEffect({ ...engine, store: { ...store, get: async () => now } });
    expect(effect.keyOf({ before })).toBe(before.id);
    await effect.apply({ before });
    expect(await world.isThere(now, input)).toBe(true);
  });

  it('is not looked at where nothing stands beside the row', () => {
    using world = aWorld();
    const effect = payloadsEffect(world.engine);
    const row = aJobRow({ status: 'succeeded' });
    expect(effect.keyOf({ before: row })).toBeUndefined();
    expect(effect.keyOf({ before: aJobRow({ status: 'running' }), after: row })).toBeUndefined();
    expect(effect.keyOf({ after: aJobRow() })).toBeUndefined();
  });
});
