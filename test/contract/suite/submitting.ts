// Dedup keys and schedules through a real store: the transactions and refusals that the memory store only models.
import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { type EpochMs, later, minutes, systemClock } from '../../../lib/core/time.ts';
import { cancelJob } from '../../../lib/job/run/cancel.ts';
import { dedupRef, forgetKey, retakeDedup } from '../../../lib/job/submit/dedup.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { refOf } from '../../../lib/job/row.ts';
import { advance } from '../../../lib/job/schedule/advance.ts';
import { pauseSchedule, putSchedule, removeSchedule, runSchedule } from '../../../lib/job/schedule/manage.ts';
import { readSchedule, type ScheduleDefinition, scheduleRef } from '../../../lib/job/schedule/schedule.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { submitJob } from '../../../lib/job/submit/submit.ts';
import { sweepSide } from '../../../lib/job/sweep/sweep-side.ts';
import { dueShardOf } from '../../../lib/store/table.ts';
import { createMemoryObjects } from '../../../lib/testing/memory-objects.ts';
import { aRef, now, scope } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const noted = defineJob({ kind: 'noted', input: z.unknown(), run: async () => null });

export function submittingSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`submits and schedules over ${name}`, () => {
    let harness: StoreHarness;
    /** One for all: the tokens of two transactions must differ. */
    const chance = seededChance(11);
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    /** An engine over the store whose clock stands at a time. */
    const anEngine = (at: EpochMs = now) => ({
      store: harness.store,
      ringer: { ring: async () => undefined, isIdle: async () => true },
      executions: { start: async () => undefined, probe: async () => 'unknown' as const },
      objects: createMemoryObjects(),
      registry: createRegistry([noted]),
      clock: { ...systemClock, now: () => at, sleep: async () => undefined },
      ...{ chance, settings: engineDefaults, log: silentLog },
    });
    const aName = () => String(aRef().id);
    const submit = (dedupKey: string, onDuplicate: 'keep' | 'replace' = 'keep') =>
      submitJob(anEngine(), { scope, kind: 'noted', input: null, correlationId: 'c', dedupKey, onDuplicate });

    it('gives a dedup key to one of many that ask for it at once, and to the next when that one has ended', async () => {
      const key = `k#${aName()}`;
      const asked = await Promise.all(Array.from({ length: 8 }, () => submit(key)));
      const [first] = asked.filter(({ created }) => created);
      expect(asked.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(asked.map(({ row }) => row.id))).toEqual(new Set([first?.row.id]));
      const ended = await cancelJob(anEngine(), refOf(first!.row), 'enough');
      await forgetKey(anEngine(), ended);
      const side = dedupRef(scope, key);
      expect(await harness.store.getSide(side)).toMatchObject({ holder: ended.id, expiresAt: ended.expiresAt });
      const next = await submit(key);
      expect(next).toMatchObject({ created: true });
      expect(await harness.store.getSide(side)).toEqual({ holder: next.row.id, made: expect.any(Number) });
      await expect(retakeDedup(anEngine(), ended)).rejects.toMatchObject({ code: 'DEDUP_KEY_HELD' });
    });

    it('replaces the holder of a dedup key in the write that takes the key', async () => {
      const key = aName();
      const first = await submit(key);
      const second = await submit(key, 'replace');
      expect(second.created).toBe(true);
      expect((await harness.store.get(refOf(first.row)))?.status).toBe('cancelled');
    });

    it('starts one run of each time of a schedule, however many look', async () => {
      const ref = scheduleRef(scope, aName());
      const timing = { everySeconds: 600, anchor: now };
      const definition: ScheduleDefinition = {
        ...{ kind: 'noted', input: 'null', timing, anchored: true },
        ...{ overlap: 'skip', catchUp: 'last', catchUpLimit: 1 },
      };
      const { schedule } = await putSchedule(anEngine(), ref, definition);
      const dueAt = later(now, minutes(8));
      expect(schedule).toMatchObject({ nextAt: later(now, minutes(10)), dueAt, serial: 1 });
      const page = await harness.store.due(dueShardOf(ref.name), dueAt);
      const due = page.sides.find(({ side }) => side.name === ref.name);
      expect(due).toEqual({ side: ref, dueAt });
      const steps = await Promise.all([1, 2, 3].map(() => sweepSide(anEngine(dueAt), due!, dueAt)));
      expect(steps.filter((step) => step === 'tick')).toHaveLength(1);
      const at = later(now, minutes(10));
      const started = await Promise.all([1, 2, 3].map(() => advance(anEngine(at), ref)));
      expect(started.reduce((sum, each) => sum + each)).toBe(1);
      const after = await readSchedule(anEngine(at), ref);
      expect(after).toMatchObject({ nextAt: later(now, minutes(20)), lastAt: at, runs: [{ at, outcome: 'started' }] });
      expect((await harness.store.get({ ...scope, id: after!.lastJob! }))?.status).toBe('queued');
      await expect(runSchedule(anEngine(at), ref)).rejects.toMatchObject({ code: 'CONFLICT' });
      const paused = await pauseSchedule(anEngine(at), ref);
      expect([paused.nextAt, paused.dueAt]).toEqual([undefined, undefined]);
      expect((await harness.store.due(dueShardOf(ref.name), later(at, minutes(60)))).sides).not.toContainEqual(
        expect.objectContaining({ side: ref }),
      );
      await removeSchedule(anEngine(at), ref);
      expect(await readSchedule(anEngine(at), ref)).toBeUndefined();
    });
  });
}
