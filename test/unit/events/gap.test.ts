// What is said where the relay was off for longer than the stream keeps changes.
import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { newId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import {
  days,
  type DurationMs,
  type EpochMs,
  earlier,
  epochMs,
  hours,
  systemClock,
  toIso,
} from '../../../lib/core/time.ts';
import { createOutageTeller } from '../../../lib/events/outage.ts';
import { lostEnd } from '../../../lib/events/gap.ts';
import { relayChanges } from '../../../lib/events/relay.ts';
import type { Announcement } from '../../../lib/job/announcer.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { createMemoryStore } from '../../../lib/testing/memory-store.ts';

const now = epochMs(1_800_000_000_000);
const clock = { ...systemClock, now: () => now };
const chance = seededChance(1);
const ago = (age: DurationMs): EpochMs => earlier(now, age);

/** Versions of one job, each written when its place in `ages` says. */
function aLife(...ages: readonly DurationMs[]): JobRow[] {
  return ages.map((age, n) => {
    const rule = n === 0 ? 'submit' : `rule-${n}`;
    const row = aJobRow({ rule, writeId: newId('w', ago(age), chance) });
    return { ...row, version: row.createdAt + n };
  });
}

function aRelay(keepEvents = days(30)) {
  const store = createMemoryStore({ clock });
  const reads: number[] = [];
  const events: typeof store.events = (job, page) => {
    reads.push(page.afterVersion ?? 0);
    return store.events(job, page);
  };
  const deps = { store: { ...store, events }, clock, settings: { keepEvents }, log: silentLog };
  const told = async () =>
    (await store.events(aJobRow(), { limit: 100 })).items.map(({ version, rule }) => [
      version - aJobRow().createdAt,
      rule,
    ]);
  const relay = (life: readonly JobRow[], ...versions: readonly number[]) =>
    relayChanges(
      deps,
      versions.map((version) => ({ before: life[version - 1], after: life[version] })),
    );
  return { deps, reads, told, relay };
}

describe('a timeline', () => {
  it('says once, at the last version that is missing, that changes were lost', async () => {
    const { relay, told } = aRelay();
    const life = aLife(days(3), days(3), days(2), days(2), hours(1));
    await relay(life, 0, 1);
    await relay(life, 4);
    await relay(life, 4);
    expect(await told()).toEqual([
      [0, 'submit'],
      [1, 'rule-1'],
      [3, 'relay.gap'],
      [4, 'rule-4'],
    ]);
  });

  it('says so also where its very first event is missing, and as the row stood then', async () => {
    const { deps, relay } = aRelay();
    const life = aLife(days(2), hours(1));
    await relay(life, 1);
    const { items } = await deps.store.events(aJobRow(), { limit: 1 });
    expect(items).toMatchObject([{ rule: 'relay.gap', status: 'queued', appliedAt: ago(days(2)), at: now }]);
  });

  it('has no gap where the relay was late by days and lost nothing, whether in one batch or in two', async () => {
    for (const batches of [[[0, 1, 2]], [[0], [1, 2]], [[0], [1], [2]]]) {
      const { relay, told } = aRelay();
      const life = aLife(days(9), days(8), days(7));
      for (const batch of batches) await relay(life, ...batch);
      expect((await told()).map(([, rule]) => rule)).toEqual(['submit', 'rule-1', 'rule-2']);
    }
  });

  it('is not read for a change that follows its predecessor within a day: the stream had that too', async () => {
    const { relay, reads, told } = aRelay();
    const life = aLife(hours(20), hours(1));
    await relay(life, 1);
    expect([reads, await told()]).toEqual([[], [[1, 'rule-1']]]);
  });

  it('has no gap where the event before has expired by now', async () => {
    const { relay, told } = aRelay(days(30));
    await relay(aLife(days(31), hours(1)), 1);
    expect(await told()).toEqual([[1, 'rule-1']]);
    const forever = aRelay(days(0));
    await forever.relay(aLife(days(31), hours(1)), 1);
    expect(await forever.told()).toEqual([
      [0, 'relay.gap'],
      [1, 'rule-1'],
    ]);
  });

  it('has no gap between two lives under one id', async () => {
    const { deps, told } = aRelay();
    const [before, after] = aLife(days(2), hours(1)) as [JobRow, JobRow];
    const fresh = { ...after, createdAt: epochMs(after.createdAt + 7) };
    await relayChanges(deps, [{ before, after: fresh }]);
    expect(await told()).toEqual([]);
  });

  it('brings the change again where the event of its gap was not written', async () => {
    const { deps } = aRelay();
    const [before, after] = aLife(days(2), hours(1)) as [JobRow, JobRow];
    const putEvents = async () => ['unanswered', 'written'] as const;
    expect(await relayChanges({ ...deps, store: { ...deps.store, putEvents } }, [{ before, after }])).toBe(0);
    const events = () => Promise.reject(new StoreUnavailable('down'));
    const silent = relayChanges({ ...deps, store: { ...deps.store, events } }, [{ before, after }]);
    await expect(silent).rejects.toThrow(StoreUnavailable);
  });

  it('ends with the gap where no later change tells of it, once nobody can any more', () => {
    const settings = { keepEvents: days(30) };
    const rowOf = (age: DurationMs) => aLife(age, age)[1]!;
    const row = rowOf(days(2));
    expect(lostEnd({ clock, settings }, row, row.version - 1)).toMatchObject({
      rule: 'relay.gap',
      version: row.version,
    });
    expect(lostEnd({ clock, settings }, row, row.version)).toBeUndefined();
    expect(lostEnd({ clock, settings }, rowOf(hours(24)), 0)).toBeUndefined();
    expect(lostEnd({ clock, settings }, rowOf(days(31)), 0)).toBeUndefined();
  });
});

describe('an outage of about a day', () => {
  const aTeller = (taken: () => Promise<readonly number[]> = async () => []) => {
    const [told, complaints]: [Announcement[], string[]] = [[], []];
    const log = { ...silentLog, error: (message: string) => void complaints.push(message) };
    const announce = async (announcements: readonly Announcement[]) => {
      told.push(...announcements);
      return taken();
    };
    return { tell: createOutageTeller({ clock, log, announcer: { announce } }), told, complaints };
  };

  it('is announced once, by the oldest change that is left, and logged', async () => {
    const { tell, told, complaints } = aTeller();
    const oldest = ago(hours(23));
    for (let times = 0; times < 2; times++) await tell([{}, { at: ago(hours(1)) }, { at: oldest }]);
    expect(told).toEqual([
      {
        type: 'relay.gap',
        at: now,
        detail: { id: `relay.gap#${toIso(oldest).slice(0, 13)}`, before: toIso(oldest) },
      },
    ]);
    expect(complaints).toHaveLength(1);
  });

  it('is none where the relay is only late, or nobody knows when a change was written', async () => {
    const { tell, told } = aTeller();
    await tell([{ at: ago(hours(22)) }]);
    await tell([{}]);
    await tell([]);
    expect(told).toEqual([]);
  });

  it('is announced again where that was not taken, and holds up nothing', async () => {
    for (const taken of [async () => [0], () => Promise.reject(new StoreUnavailable('down'))]) {
      const { tell, told } = aTeller(taken);
      for (let times = 0; times < 2; times++) await tell([{ at: ago(days(1)) }]);
      expect(told).toHaveLength(2);
    }
  });
});
