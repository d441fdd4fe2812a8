// Take, park and release through a real store: the transactions, refusals and index reads that the memory store only models.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import type { WorkspaceId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { type EpochMs, later, millis, seconds, systemClock } from '../../../lib/core/time.ts';
import { pauseFlow, resumeFlow, stepFlow } from '../../../lib/job/gates/flow.ts';
import { setGuard } from '../../../lib/job/gates/guard.ts';
import { recheckSlot } from '../../../lib/job/gates/gate-recheck.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { settleOutcome } from '../../../lib/job/run/settle.ts';
import { counterOf, heldOf } from '../../../lib/job/gates/slots.ts';
import { takeJob } from '../../../lib/job/run/take.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aRef, now, scope } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

export function gatesSuite(name: string, open: () => Promise<StoreHarness>): void {
  describe(`gates over ${name}`, () => {
    let harness: StoreHarness;
    /** One for all: the tokens of two transactions must differ. */
    const chance = seededChance(7);
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    /** An engine over the store whose clock stands; a sleep of the engine ends at once. */
    function anEngine(at: EpochMs = now) {
      const rung: JobRow['id'][] = [];
      const ringer = {
        ring: async ({ ref }: { readonly ref: { readonly id: JobRow['id'] } }) => void rung.push(ref.id),
        isIdle: async () => true,
      };
      const clock = { ...systemClock, now: () => at, sleep: async () => undefined };
      const [settings, log] = [engineDefaults, silentLog];
      return { engine: { store: harness.store, ringer, clock, chance, settings, log }, rung };
    }
    const queued = async (given: Partial<JobRow>): Promise<JobRow> => {
      const row = aJobRow({ ...aRef(), gated: true, ...given });
      await harness.putRow(row);
      return row;
    };
    const take = (engine: ReturnType<typeof anEngine>['engine'], row: JobRow) =>
      takeJob(engine, { ref: refOf(row), epoch: row.epoch });
    const held = async (key: string) => heldOf(await harness.store.getSide(counterOf(scope, key)));
    const aKey = () => String(aRef().id);

    it('gives a place to as many as there are, parks the next, and hands the place on when it is given back', async () => {
      const { engine, rung } = anEngine();
      const slots = [{ key: aKey(), limit: 2 }];
      const rows = [await queued({ slots }), await queued({ slots }), await queued({ slots })];
      const taken = [];
      for (const row of rows) taken.push(await take(engine, row));
      expect(taken.map(({ kind }) => kind)).toEqual(['claimed', 'claimed', 'parked']);
      expect(await held(slots[0]!.key)).toBe(2);
      const [one, , last] = taken;
      if (one?.kind !== 'claimed' || last?.kind !== 'parked') throw new TypeError('as expected above');
      expect(last.row).toMatchObject({ parked: `slot:${slots[0]!.key}`, dueAt: later(now, seconds(15)), attempts: 0 });
      await settleOutcome(engine, one.claim, { kind: 'succeed', result: { inline: '1' } });
      expect(rung).toEqual([last.row.id]);
      expect(await held(slots[0]!.key)).toBe(1);
      const again = await take(engine, last.row);
      expect(again.kind).toBe('claimed');
      expect(await held(slots[0]!.key)).toBe(2);
    });

    it('evicts a holder whose job no longer runs at its epoch, and no other', async () => {
      const { engine, rung } = anEngine();
      const slots = [{ key: aKey(), limit: 2 }];
      const [gone, alive, waits] = [await queued({ slots }), await queued({ slots }), await queued({ slots })];
      const taken = await take(engine, gone);
      await take(engine, alive);
      const parked = await take(engine, waits);
      if (taken.kind !== 'claimed' || parked.kind !== 'parked') throw new TypeError('one place is taken, one parks');
      const { epoch, owner, ref } = taken.claim;
      const settled = { writeId: 'w_x' as unknown as JobRow['writeId'], epoch, owner, now };
      await harness.store.write(ref, 'succeed', settled);
      expect(await recheckSlot(engine, parked.row, slots[0]!.key, now)).toBe('unpark');
      expect(await held(slots[0]!.key)).toBe(1);
      expect(rung).toEqual([waits.id]);
      expect(await recheckSlot(engine, parked.row, slots[0]!.key, later(now, seconds(5)))).toBe('stay');
    });

    it('takes all the places of a job, or none', async () => {
      const { engine } = anEngine();
      const [free, full] = [aKey(), aKey()];
      await take(engine, await queued({ slots: [{ key: full, limit: 1 }] }));
      const both = await queued({
        slots: [
          { key: free, limit: 1 },
          { key: full, limit: 1 },
        ],
      });
      expect(await take(engine, both)).toMatchObject({ kind: 'parked', row: { parked: `slot:${full}` } });
      expect([await held(free), await held(full)]).toEqual([0, 1]);
    });

    it('defers to the next time of a rate, and starts then', async () => {
      const rate = { key: aKey(), perMinute: 6, burst: 1 };
      const { engine } = anEngine();
      const rows = [await queued({ rate }), await queued({ rate }), await queued({ rate })];
      const taken = [];
      for (const row of rows) taken.push(await take(engine, row));
      expect(taken.map(({ kind }) => kind)).toEqual(['claimed', 'early', 'early']);
      const times = taken.flatMap((each) => (each.kind === 'early' ? [each.row.notBefore] : []));
      expect(times).toEqual([later(now, seconds(10)), later(now, seconds(20))]);
      const second = taken[1];
      if (second?.kind !== 'early') throw new TypeError('deferred');
      expect((await take(anEngine(later(now, seconds(10))).engine, second.row)).kind).toBe('claimed');
      const soon = await take(anEngine(later(now, millis(10_500))).engine, await queued({ rate }));
      expect(soon).toMatchObject({ kind: 'early', row: { notBefore: later(now, seconds(30)) } });
    });

    it('holds what a paused flow is asked to hold, lets one step through, and resumes', async () => {
      const own = { ...scope, workspace: aKey() as unknown as WorkspaceId };
      const { engine, rung } = anEngine();
      await pauseFlow(engine, own, 'f', 'look');
      const rows = [await queued({ ...own, flow: 'f' }), await queued({ ...own, flow: 'f' })];
      for (const row of rows)
        expect(await take(engine, row)).toMatchObject({ kind: 'parked', row: { parked: 'flow:f' } });
      expect((await stepFlow(engine, own, 'f')).steps).toBe(1);
      expect(rung).toHaveLength(1);
      const stepped = rows.find(({ id }) => id === rung[0]);
      if (stepped === undefined) throw new TypeError('one was woken');
      expect((await take(engine, stepped)).kind).toBe('claimed');
      const late = await queued({ ...own, flow: 'f' });
      expect((await take(engine, late)).kind).toBe('parked');
      expect((await resumeFlow(engine, own, 'f')).state).toBe('active');
      expect(rung).toHaveLength(3);
      expect((await take(engine, late)).kind).toBe('claimed');
    });

    it('drops what was submitted under a guard that has moved on', async () => {
      const { engine } = anEngine();
      const key = aKey();
      await setGuard(engine, scope, key, 'two');
      const row = await queued({ guardKey: key, guardValue: 'one' });
      expect(await take(engine, row)).toMatchObject({ kind: 'dropped', row: { status: 'cancelled' } });
      expect((await take(engine, await queued({ guardKey: key, guardValue: 'two' }))).kind).toBe('claimed');
    });
  });
}
