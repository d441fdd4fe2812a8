// What follows a claim is over when it says so, also where a part of it went wrong: nobody goes on with what a function left under way.
import { describe, expect, it } from 'vitest';
import { allDone } from '../../../lib/core/all-done.ts';
import { seededChance } from '../../../lib/core/chance.ts';
import { afterClaim, type ReleaseEngine } from '../../../lib/job/gates/release.ts';
import { slotReason } from '../../../lib/job/gates/slots.ts';
import { type JobStore, StoreUnavailable } from '../../../lib/job/ports.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { createManualClock } from '../../support/manual-clock.ts';

describe('works side by side', () => {
  it('have all ended when one of them has failed', async () => {
    let ended = false;
    const late = Promise.resolve().then(async () => {
      await new Promise(setImmediate);
      ended = true;
    });
    await expect(allDone([Promise.reject(new Error('first')), late])).rejects.toThrow('first');
    expect(ended).toBe(true);
  });

  it('give what they gave, in their order', async () => {
    expect(await allDone([new Promise((done) => setImmediate(done, 1)), Promise.resolve(2)])).toEqual([1, 2]);
  });
});

describe('after a claim', () => {
  it('each place has been handed on as far as it could be, though the store did not answer for another', async () => {
    const done: string[] = [];
    const store = {
      transact: async () => ({ kind: 'applied' }),
      parkedFor: async (_scope, reason) => {
        if (reason === slotReason('lost')) throw new StoreUnavailable('lost');
        await new Promise(setImmediate);
        done.push(reason);
        return { items: [] };
      },
    } as Partial<JobStore> as JobStore;
    const warned: string[] = [];
    const log = { info: () => undefined, warn: (line: string) => void warned.push(line), error: () => undefined };
    const clock = createManualClock();
    const engine: ReleaseEngine = {
      ...{ store, clock, log, settings: engineDefaults, chance: seededChance(1) },
      ringer: { ring: async () => undefined, isIdle: async () => true },
    };
    const slots = ['lost', 'other'].map((key) => ({ key, limit: 1 }));
    await afterClaim(engine, aJobRow({ slots }));
    expect([done, warned.length]).toEqual([[slotReason('other')], 1]);
  });
});
