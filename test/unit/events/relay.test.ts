import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { newId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { days, epochMs, later, minutes, systemClock, toEpochSeconds } from '../../../lib/core/time.ts';
import type { JobChange, RelayEffect } from '../../../lib/events/effect.ts';
import { relayChanges } from '../../../lib/events/relay.ts';
import type { Announcement, Announcer } from '../../../lib/job/announcer.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import type { Counting, RowChange } from '../../../lib/events/stat-bucket.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { createMemoryStore } from '../../../lib/testing/memory-store.ts';

const clock = { ...systemClock, now: () => epochMs(1_800_000_000_000) };

function aRelay() {
  const store = createMemoryStore({ clock });
  const complaints: string[] = [];
  const log = { ...silentLog, error: (message: string) => void complaints.push(message) };
  const deps = { store, clock, settings: { keepEvents: days(30) }, log };
  const row = aJobRow();
  return { deps, complaints, row, events: async () => (await store.events(row, { limit: 100 })).items };
}

describe('the relay', () => {
  it('makes one numbered event of a loud change, however often it is read', async () => {
    const { deps, row, events } = aRelay();
    await relayChanges(deps, [{ after: row }]);
    await relayChanges(deps, [{ after: row }]);
    const changed = { ...row, version: row.version + 1, rule: 'claim' };
    await relayChanges(deps, [{ before: row, after: changed }]);
    expect(await events()).toMatchObject([
      { rule: 'submit', status: 'queued', version: row.version, at: clock.now() },
      { rule: 'claim', version: row.version + 1, expiresAt: toEpochSeconds(epochMs(clock.now() + days(30))) },
    ]);
  });

  it('says when the lease had ended that a change takes away, and nothing where its holder let go in time', async () => {
    const { deps, events } = aRelay();
    const running = aJobRow({ status: 'running' });
    const reaped = aJobRow({ version: running.version + 1, rule: 'reap', epoch: running.epoch });
    const live = { ...running, version: running.version + 5, leaseUntil: epochMs(clock.now() + 1) };
    await relayChanges(deps, [
      { before: running, after: reaped },
      { before: live, after: { ...reaped, version: live.version + 1, rule: 'snooze' } },
    ]);
    expect((await events()).map(({ rule, lapsedAt }) => [rule, lapsedAt])).toEqual([
      ['reap', running.leaseUntil],
      ['snooze', undefined],
    ]);
  });

  it('says when the rule was applied, and why the job waits or was told to stop', async () => {
    const { deps, row, events } = aRelay();
    const writeId = newId('w', epochMs(1_750_000_000_000), seededChance(1));
    const parked = aJobRow({ status: 'parked', parked: 'flow:nightly', writeId });
    const stopping = aJobRow({ status: 'running', cancelRequested: 'not wanted', version: row.version + 1 });
    const later = aJobRow({ notBefore: epochMs(7), rule: 'retry', version: row.version + 2 });
    await relayChanges(deps, [{ after: parked }, { after: stopping }, { after: later }]);
    expect((await events()).map(({ appliedAt, reason, notBefore }) => [appliedAt, reason, notBefore])).toEqual([
      [1_750_000_000_000, 'flow:nightly', undefined],
      [undefined, 'not wanted', undefined],
      [undefined, undefined, 7],
    ]);
  });

  it('makes none of a quiet change, and none of a removal', async () => {
    const { deps, row, events } = aRelay();
    await relayChanges(deps, [{ before: row, after: { ...row, rearms: 1 } }]);
    await relayChanges(deps, [{ before: row }]);
    expect(await events()).toEqual([]);
  });

  it('leaves a mark where a row cannot be read, and never stops at it', async () => {
    const { deps, row, events, complaints } = aRelay();
    const read = { ...row, version: row.version + 1, rule: 'claim' };
    const changes = [{ ...row, v: 2, whatever: true }, { nothing: 'known' }, read].map((after) => ({ after }));
    expect(await relayChanges(deps, changes)).toBeUndefined();
    expect(await events()).toMatchObject([{ rule: 'relay.unreadable', version: row.version }, { rule: 'claim' }]);
    expect(complaints).toHaveLength(2);
  });

  it('says which change is the first whose event is not written, so that it comes again from there', async () => {
    const { deps, row } = aRelay();
    const changes = [0, 1, 2].map((more) => ({ after: { ...row, version: row.version + more } }));
    const quiet = { before: row, after: row };
    const store = { ...deps.store, putEvents: async () => ['written', 'exists', 'unanswered'] as const };
    expect(await relayChanges({ ...deps, store }, [quiet, ...changes])).toBe(3);
    expect(await relayChanges(deps, [quiet, ...changes])).toBeUndefined();
  });
});

const inOrder = (...changes: readonly string[]) => {
  const row = aJobRow();
  return changes.map((id, more) => ({ after: { ...row, id, version: row.version + more } as typeof row }));
};

/** An effect that tells what it was applied to, and throws what the test wants at some of them. */
function anEffect(throwsAt: Readonly<Record<string, Error>> = {}) {
  const applied: string[] = [];
  const idOf = ({ after }: JobChange) => after?.id as unknown as string;
  const effect: RelayEffect = {
    name: 'test',
    keyOf: (change) => (idOf(change) === 'none' ? undefined : idOf(change).slice(0, 1)),
    apply: async (change) => {
      const thrown = throwsAt[idOf(change)];
      if (thrown !== undefined) throw thrown;
      applied.push(idOf(change));
    },
  };
  return { effect, applied };
}

describe('an effect', () => {
  it('is applied to the changes of one key in order, whether or not their events are new', async () => {
    const { deps } = aRelay();
    const { effect, applied } = anEffect();
    const changes = inOrder('a1', 'b1', 'none', 'a2');
    for (let times = 0; times < 2; times++) await relayChanges({ ...deps, effects: [effect] }, changes);
    expect(applied.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a1', 'a2']);
    expect(applied).not.toContain('none');
  });

  it('that meets an outage brings its change again, and holds up its key alone', async () => {
    const { deps } = aRelay();
    const { effect, applied } = anEffect({ a2: new StoreUnavailable('down') });
    const again = await relayChanges({ ...deps, effects: [effect] }, inOrder('a1', 'b1', 'a2', 'a3', 'b2'));
    expect(again).toBe(2);
    expect(applied.sort()).toEqual(['a1', 'b1', 'b2']);
  });

  it('that fails otherwise is logged and passed over, for one change must not stop the outbox', async () => {
    const { deps, complaints } = aRelay();
    const { effect, applied } = anEffect({ a1: new TypeError('a mistake') });
    expect(await relayChanges({ ...deps, effects: [effect] }, inOrder('a1', 'a2'))).toBeUndefined();
    expect([applied, complaints.length]).toEqual([['a2'], 1]);
  });
});

describe('the statistics', () => {
  const aCount = () => {
    const counted = new Map<number, number>();
    const told: Counting[] = [];
    const count = async (changes: readonly RowChange[], how: Counting) => {
      told.push(how);
      for (const { after } of changes) counted.set(after.version, (counted.get(after.version) ?? 0) + how.by);
    };
    return { counted, told, count };
  };

  it('count a change once, however often it is relayed', async () => {
    const { deps, row } = aRelay();
    const { counted, count } = aCount();
    const next = { before: row, after: { ...row, version: row.version + 1 } };
    await relayChanges({ ...deps, count }, [{ after: row }]);
    for (let times = 0; times < 2; times++) await relayChanges({ ...deps, count }, [{ after: row }, next]);
    expect([...counted.values()]).toEqual([1, 1]);
  });

  it('take back by the same clock what comes again because no event could be written', async () => {
    const { deps, row } = aRelay();
    let now = clock.now();
    const { counted, told, count } = aCount();
    const putEvents = async () => {
      now = later(now, minutes(2));
      throw new StoreUnavailable('down');
    };
    const moving = { ...deps, clock: { ...clock, now: () => now }, store: { ...deps.store, putEvents } };
    const relayed = relayChanges({ ...moving, count }, [{ after: row }]);
    await expect(relayed).rejects.toThrow(StoreUnavailable);
    expect([counted.get(row.version), told[0]?.at]).toEqual([0, told[1]?.at]);
  });
});

describe('the announcer', () => {
  const dead = aJobRow({ status: 'dead', version: 5, error: { code: 'CRASHED', detail: 'secret', retriable: true } });
  const ends = [{ before: aJobRow({ version: 4 }), after: dead }];

  const anAnnouncer = (answer: () => readonly number[] = () => []) => {
    const told: Announcement[] = [];
    const announcer: Announcer = {
      announce: async (announcements) => {
        told.push(...announcements);
        return answer();
      },
    };
    return { announcer, told };
  };

  it('is told of each end by an id that stays the same, and of no message', async () => {
    const { deps } = aRelay();
    const { announcer, told } = anAnnouncer();
    for (let times = 0; times < 2; times++) await relayChanges({ ...deps, announcer }, ends);
    expect(told.map(({ type, detail }) => [type, detail.id])).toEqual(
      Array.from({ length: 2 }, () => ['job.dead', `${dead.id}#5`]),
    );
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  it.each([
    ['a start', { before: aJobRow(), after: aJobRow({ status: 'running', version: 9 }) }],
    ['what follows an end', { before: dead, after: { ...dead, version: 6, discarded: true } }],
    ['a removal', { before: dead }],
    ['the end of a kind of the engine itself', { ...ends[0], after: { ...dead, internal: true } }],
  ])('is not told of %s', async (_, change) => {
    const { deps } = aRelay();
    const { announcer, told } = anAnnouncer();
    await relayChanges({ ...deps, announcer }, [change]);
    expect(told).toEqual([]);
  });

  it('brings back what was not taken, and passes over what never will be', async () => {
    const { deps, complaints } = aRelay();
    const throwing = (error: Error) => anAnnouncer(() => Promise.reject(error) as never).announcer;
    const again = (announcer: Announcer) => relayChanges({ ...deps, announcer }, [{ after: aJobRow() }, ...ends]);
    expect(await again(anAnnouncer(() => [0]).announcer)).toBe(1);
    expect(await again(throwing(new StoreUnavailable('down')))).toBe(1);
    expect(await again(throwing(new Error('denied')))).toBeUndefined();
    expect(complaints).toHaveLength(1);
  });
});
