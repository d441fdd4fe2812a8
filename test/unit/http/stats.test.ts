import { describe, expect, it } from 'vitest';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { later, seconds } from '../../../lib/core/time.ts';
import { statAdditions } from '../../../lib/events/stat-bucket.ts';
import { statSideOf } from '../../../lib/events/stat-rows.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { startApp } from './harness.ts';

describe('the statistics', () => {
  it('add up what all shards counted in this workspace, and have every minute', async () => {
    using app = await startApp();
    const now = app.clock.now();
    const mine = { tenant: 't1' as TenantId, workspace: 'main' as WorkspaceId };
    const running = aJobRow({ ...mine, status: 'running', createdAt: now, startedAt: now });
    const finishedAt = later(now, seconds(2));
    const done = aJobRow({ ...mine, status: 'succeeded', createdAt: now, startedAt: now, finishedAt });
    const [addition] = statAdditions(
      [{ after: aJobRow({ ...mine, createdAt: now }) }, { before: running, after: done }],
      { at: now, by: 1 },
    );
    for (const shard of [0, 7]) {
      const fields = { ...addition!.counters, expiresAt: addition!.expiresAt };
      await app.store.writeSide(statSideOf(addition!, shard), 'create', { fields, now });
    }
    const { status, body } = await app.send('GET', '/v1/stats');
    expect([status, body.approximate, body.minutes.length]).toEqual([200, true, 60]);
    expect(body.lanes).toEqual([
      {
        ...{ kind: 'echo', lane: 'default' },
        counts: expect.objectContaining({ submitted: 2, succeeded: 2, dead: 0 }),
        ratesPerMinute: expect.objectContaining({ dead: 0 }),
        queueingMs: { count: 0 },
        runningMs: { count: 2, p50: expect.closeTo(2000, -2.7), p90: expect.any(Number), p99: expect.any(Number) },
      },
    ]);
    expect(body.minutes.at(-1)).toMatchObject({ at: '2026-01-01T00:00:00.000Z', counts: { submitted: 2 } });
    const other = (await app.send('GET', '/v1/stats', { key: app.keys.other })).body;
    expect(other.lanes).toEqual([]);
  });
});
