import { describe, expect, it } from 'vitest';
import type { OwnerToken } from '../../../lib/core/ids.ts';
import { earlier, later, minutes, seconds } from '../../../lib/core/time.ts';
import { findOrphans, orphanClasses, orphanOf } from '../../../lib/job/dead/orphans.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { refOf } from '../../../lib/job/row.ts';
import { workspaceSide } from '../../../lib/job/dead/workspaces.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { aBench } from './bench.ts';

const now = later(builtAt, minutes(60));
const overdue = { dueAt: earlier(now, minutes(2)) };
const lapsed = { ...overdue, status: 'running', leaseUntil: earlier(now, minutes(2)) } as const;

describe('an orphan', () => {
  it.each([
    ['lost-doorbell', aJobRow(overdue), false],
    ['lost-doorbell', aJobRow({ ...overdue, rule: 'unpark' }), false],
    ['lost-retry', aJobRow({ ...overdue, rule: 'retry', attempts: 1 }), false],
    ['lost-retry', aJobRow({ ...overdue, rule: 'snooze' }), false],
    ['lost-unpark', aJobRow({ ...overdue, status: 'parked' }), false],
    ['lost-lease', aJobRow(lapsed), false],
    ['execution-gone', aJobRow({ ...lapsed, heldBy: 'execution' }), false],
    ['unheard-cancel', aJobRow({ ...lapsed, cancelRequested: 'no' }), false],
    ['owed-job', aJobRow({ ...overdue, status: 'succeeded', owes: 'job_x' }), false],
    ['owed-job', aJobRow({ ...overdue, status: 'succeeded', owes: 'job_x' }), true],
    ['gone-workspace', aJobRow(overdue), true],
    ['gone-workspace', aJobRow(lapsed), true],
  ] as const)('is told as %s', (wanted, row, gone) => {
    expect(orphanOf(row, now, gone)).toEqual({
      ...{ class: wanted, row, since: overdue.dueAt, next: later(now, seconds(60)) },
    });
    expect(orphanClasses[wanted]).toMatch(/^The sweep .*\.$/);
  });

  it.each([
    ['is due just now', aJobRow({ dueAt: earlier(now, seconds(59)) })],
    ['is due later', aJobRow({ dueAt: later(now, seconds(1)) })],
    ['has ended', aJobRow({ status: 'succeeded', dueAt: undefined })],
    ['runs under a live lease', aJobRow({ ...lapsed, leaseUntil: later(now, seconds(1)) })],
  ])('is no job that %s', (_, row) => {
    expect(orphanOf(row, now, false)).toBeUndefined();
  });

  it('is found in its own workspace, and gone after one sweep', async () => {
    const bench = aBench();
    const row = bench.put(aJobRow({ ...lapsed, leaseOwner: 'own_x' as unknown as OwnerToken }));
    bench.put(aJobRow({ ...lapsed, workspace: 'other' as unknown as typeof row.workspace }));
    await bench.waitUntil(minutes(60));
    const look = () => findOrphans(bench.store, refOf(row), bench.engine.clock.now(), false);
    expect(await look()).toMatchObject({ complete: true, orphans: [{ class: 'lost-lease', row: { id: row.id } }] });
    await bench.play(sweep(bench.engine));
    expect(await look()).toEqual({ complete: true, orphans: [], unreadable: [] });
  });
});

describe('a workspace that is gone', () => {
  it('has its waiting and running jobs ended as they fall due, and no other one', async () => {
    const bench = aBench();
    const gone = aJobRow({ ...overdue });
    const others = [aJobRow({ workspace: 'other' as unknown as typeof gone.workspace, ...overdue })];
    for (const row of [gone, ...others]) bench.put(row);
    const fields = { at: builtAt, until: builtAt, purgedBy: gone.id };
    await bench.store.writeSide(workspaceSide(gone), 'create', { fields, now: builtAt });
    await bench.waitUntil(minutes(60));
    const report = await bench.play(sweep(bench.engine));
    expect(report.steps).toMatchObject({ entomb: 1 });
    expect(await bench.store.get(refOf(gone))).toMatchObject({
      ...{ status: 'dead', rule: 'entomb', error: { code: 'TENANT_DELETED', retriable: false } },
    });
    expect((await bench.store.get(refOf(others[0]!)))?.status).toBe('queued');
  });

  it('ends nothing where it was restored since the sweep began', async () => {
    const bench = aBench();
    const row = bench.put(aJobRow(overdue));
    const fields = { at: builtAt, until: builtAt };
    await bench.store.writeSide(workspaceSide(row), 'create', { fields, now: builtAt });
    await bench.waitUntil(minutes(60));
    const store = { ...bench.store, getSide: async () => undefined };
    expect(await bench.play(sweep({ ...bench.engine, store }))).toMatchObject({ steps: { ring: 1 } });
    await bench.waitUntil(minutes(120));
    expect(await bench.play(sweep(bench.engine))).toMatchObject({ steps: { cancelled: 1 } });
    expect((await bench.store.get(refOf(row)))?.status).toBe('cancelled');
  });

  it('stops no repair where it cannot be read', async () => {
    const bench = aBench();
    const row = bench.put(aJobRow(overdue));
    await bench.waitUntil(minutes(60));
    const store = { ...bench.store, listSides: () => Promise.reject(new Error('down')) };
    const report = await bench.play(sweep({ ...bench.engine, store }));
    expect(report).toMatchObject({ failed: 0, steps: { ring: 1 } });
    expect(bench.rings.map(({ bell }) => bell.ref.id)).toEqual([row.id]);
  });
});
