import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { newId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { days, epochMs, systemClock, toEpochSeconds } from '../../../lib/core/time.ts';
import { relayChanges } from '../../../lib/events/relay.ts';
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
    await relayChanges(deps, [{ after: { ...row, v: 2, whatever: true } }]);
    await relayChanges(deps, [{ after: { nothing: 'known' } }]);
    expect(await events()).toMatchObject([{ rule: 'relay.unreadable', version: row.version }]);
    expect(complaints).toHaveLength(2);
  });

  it('says which change is the first whose event is not written, so that it comes again from there', async () => {
    const { deps, row } = aRelay();
    const changes = [0, 1, 2].map((more) => ({ after: { ...row, version: row.version + more } }));
    const quiet = { before: row, after: row };
    const store = { putEvents: async () => ['written', 'exists', 'unanswered'] as const };
    expect(await relayChanges({ ...deps, store }, [quiet, ...changes])).toBe(3);
    expect(await relayChanges(deps, [quiet, ...changes])).toBeUndefined();
  });
});
