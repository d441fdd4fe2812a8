import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../lib/core/log.ts';
import { later, minutes, seconds } from '../../../lib/core/time.ts';
import type { Announcement } from '../../../lib/job/announcer.ts';
import { gaugesOf, type LaneDepth } from '../../../lib/job/health/backlog.ts';
import { backlogStates, checkBacklogs, visibleTo } from '../../../lib/job/health/health.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { createMemoryStore } from '../../../lib/testing/memory-store.ts';

const lane = (waiting: number): LaneDepth => ({ queue: 'worker', lane: 'default', waiting });
const idOf = (n: number) => `job_${String(n).padStart(26, '0')}` as unknown as JobRow['id'];

function aWorld() {
  const state = { now: builtAt, waiting: 0, takes: true, fails: false };
  const clock = { now: () => state.now, monotonic: () => state.now, sleep: async () => undefined };
  const store = createMemoryStore({ clock });
  const told: Announcement[] = [];
  const backlogs = { lanes: async () => [lane(state.waiting)], queueOf: () => 'worker' };
  const announcer = {
    announce: async (announcements: readonly Announcement[]) => {
      if (state.fails) throw new StoreUnavailable('down');
      told.push(...announcements);
      return state.takes ? [] : [0];
    },
  };
  const parts = { store, clock, backlogs, announcer, log: silentLog };
  /** So many minutes, at each of which that many reapers look at once. */
  const looks = async (count: number, reapers = 1) => {
    let behind = 0;
    for (let minute = 0; minute < count; minute++) {
      state.now = later(state.now, minutes(1));
      behind = Math.max(...(await Promise.all(Array.from({ length: reapers }, () => checkBacklogs(parts)))));
    }
    return behind;
  };
  return { state, store, told, looks, types: () => told.map(({ type }) => type) };
}

describe('a backlog', () => {
  it('is told of at the third look in a row, and once when it is gone, however many reapers look', async () => {
    const { state, looks, types, told, store } = aWorld();
    state.waiting = 1000;
    expect(await looks(2, 3)).toBe(0);
    expect(types()).toEqual([]);
    expect(await looks(1, 3)).toBe(1);
    expect(types()).toEqual(['backlog.growing']);
    expect(told[0]?.detail).toMatchObject({ queue: 'worker', lane: 'default', depth: 1000 });
    expect(await looks(5, 3)).toBe(1);
    state.waiting = 999;
    expect(await looks(1, 3)).toBe(0);
    expect(types()).toEqual(['backlog.growing', 'backlog.gone']);
    await looks(2, 3);
    expect(types()).toHaveLength(2);
    expect(await backlogStates(store)).toEqual([]);
  });

  it('that goes away before is never told of, and its strikes begin anew', async () => {
    const { state, looks, types } = aWorld();
    for (let times = 0; times < 3; times++) {
      state.waiting = 5000;
      await looks(2);
      state.waiting = 0;
      await looks(1);
    }
    expect(types()).toEqual([]);
  });

  it('has one strike a minute, not one a reaper', async () => {
    const { state, looks, types } = aWorld();
    state.waiting = 5000;
    await looks(1);
    state.now = later(state.now, seconds(-40));
    await looks(1);
    state.now = later(state.now, seconds(-40));
    await looks(1);
    expect(types()).toEqual([]);
  });

  it('that could not be announced is announced at the next look, under the same id', async () => {
    const { state, looks, told } = aWorld();
    state.waiting = 5000;
    state.takes = false;
    await looks(3);
    state.takes = true;
    state.fails = true;
    await looks(1);
    state.fails = false;
    await looks(3);
    expect(told.map(({ detail }) => detail.id)).toEqual([told[0]?.detail.id, told[0]?.detail.id]);
  });

  it('is one of age too, and of a flow, and names the flow that most of the oldest belong to', async () => {
    const { state, looks, told, store } = aWorld();
    state.waiting = 4;
    for (const [n, flow] of ['slow', 'slow', 'other', undefined].entries()) store.put(aJobRow({ id: idOf(n), flow }));
    await looks(8);
    const details = told.map(({ type, detail }) => ({ type, ...detail }));
    expect(details).toHaveLength(3);
    expect(details).toContainEqual(
      expect.objectContaining({
        type: 'backlog.growing',
        lane: 'default',
        worst: expect.objectContaining({ flow: 'slow', jobs: 2 }),
      }),
    );
    expect(details.flatMap((each) => ('flow' in each ? [each.flow] : [])).sort()).toEqual(['other', 'slow']);
  });

  it('is none of jobs whose time has not come', async () => {
    const { state, looks, told, store } = aWorld();
    state.waiting = 1;
    store.put(aJobRow({ notBefore: later(builtAt, minutes(60)) }));
    await looks(10);
    expect(told).toEqual([]);
  });

  it('costs no look at rows while every lane is empty', async () => {
    const { looks, store } = aWorld();
    const due = store.due;
    let reads = 0;
    Object.assign(store, { due: (...call: Parameters<typeof due>) => (reads++, due(...call)) });
    await looks(5);
    expect(reads).toBe(0);
  });
});

describe('the gauges', () => {
  it('tell lanes of one function from those of another', () => {
    const rows = [aJobRow({ kind: 'own' }), aJobRow({ kind: 'own', lane: 'due' })];
    const lanes = [
      lane(1),
      { queue: 'mine', lane: 'default', waiting: 2 },
      { queue: 'mine', lane: 'due', waiting: 3 },
    ] as const;
    const queueOf = (kind: string) => (kind === 'own' ? 'mine' : 'worker');
    const gauges = gaugesOf(lanes, rows, queueOf, later(builtAt, seconds(7)));
    expect(gauges.map(({ depth, age }) => [depth, age])).toEqual([
      [1, 0],
      [2, 7000],
      [3, 7000],
    ]);
  });

  it('of others’ flows are not shown to a workspace', () => {
    const { tenant, workspace } = aJobRow();
    const theirs = { tenant: 'other' as unknown as typeof tenant, workspace, flow: 'f' };
    const state = { subject: lane(1), worst: { ...theirs, jobs: 1 } };
    expect(visibleTo({ tenant, workspace }, state)).toEqual({ subject: true, worst: false });
    expect(visibleTo({ tenant, workspace }, { subject: theirs, worst: undefined }).subject).toBe(false);
    expect(visibleTo(theirs, { subject: theirs, worst: undefined }).subject).toBe(true);
  });
});
