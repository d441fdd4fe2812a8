// The thread for real: a SQLite file, two connections, and a main thread that is blocked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { systemChance } from '../../../lib/core/chance.ts';
import { type Epoch, newId } from '../../../lib/core/ids.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { later, millis, systemClock, toEpochSeconds } from '../../../lib/core/time.ts';
import type { Claim } from '../../../lib/job/claim.ts';
import type { Heartbeat } from '../../../lib/job/heartbeat/heartbeat.ts';
import { createThreadedHeartbeats } from '../../../lib/job/heartbeat/heartbeat-thread.ts';
import { refOf } from '../../../lib/job/row.ts';
import { writeRule, writeSubmit } from '../../../lib/job/write.ts';
import { createSqliteStore } from '../../../lib/store/sqlite/store.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';

vi.setConfig({ testTimeout: 60_000 });
const clock = systemClock;
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0).reverse()) await each();
});

async function aThread(settings: { lease: number; beat: number; firstProgress?: number; stallAfter: number }) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-beat-'));
  const path = join(directory, 'jobs.sqlite');
  const store = createSqliteStore({ path, clock });
  const complaints: string[] = [];
  const heartbeats = createThreadedHeartbeats({
    threadFile: new URL('./thread-entry.ts', import.meta.url),
    threadData: { path },
    clock,
    settings: {
      lease: millis(settings.lease),
      beat: millis(settings.beat),
      firstProgress: millis(settings.firstProgress ?? settings.beat),
      leaseMargin: millis(100),
      stallAfter: millis(settings.stallAfter),
    },
    log: { ...silentLog, error: (message) => void complaints.push(message) },
  });
  cleanUp.push(
    () => rmSync(directory, { recursive: true, force: true }),
    () => store.close(),
    () => heartbeats[Symbol.asyncDispose](),
  );
  const engine = { store, clock, chance: systemChance };
  return { store, heartbeats, engine, complaints, claim: await aClaimedJob(engine, settings.lease) };
}

async function aClaimedJob(engine: Parameters<typeof writeRule>[0], lease: number): Promise<Claim> {
  const now = clock.now();
  const {
    status: _status,
    rule: _rule,
    writeId: _writeId,
    submitId: _submitId,
    dueAt: _dueAt,
    epoch: _epoch,
    ...row
  } = aJobRow();
  const ref = refOf(aJobRow());
  await writeSubmit(engine, row, { epoch: now as number as Epoch, nowSeconds: toEpochSeconds(now), dueAt: now });
  const owner = newId('own', now, systemChance);
  const leaseUntil = later(now, millis(lease));
  const claimed = await writeRule(engine, ref, 'claim', {
    epoch: now as number as Epoch,
    owner,
    heldBy: 'worker',
    now,
    leaseUntil,
  });
  if (claimed.kind === 'refused') throw new TypeError('the test could not claim its own job');
  return { ref, epoch: claimed.row.epoch, owner, row: claimed.row };
}

/** Resolves with the first renewal that the row shows. */
async function renewed({ store, claim }: Awaited<ReturnType<typeof aThread>>): Promise<void> {
  const before = (await store.get(claim.ref))?.leaseUntil ?? 0;
  while (((await store.get(claim.ref))?.leaseUntil ?? 0) <= before) await clock.sleep(millis(20));
}

const aborted = (beat: Heartbeat): Promise<unknown> =>
  beat.signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => beat.signal.addEventListener('abort', resolve, { once: true }));

/** Holds the event loop as a handler that only computes does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('a handler that blocks its event loop for several beats keeps its lease', async () => {
  const thread = await aThread({ lease: 3000, beat: 400, stallAfter: 30_000 });
  const beat = thread.heartbeats.start(thread.claim);
  await renewed(thread);
  block(5000);
  const row = await thread.store.get(thread.claim.ref);
  expect(row?.leaseUntil).toBeGreaterThan(clock.now());
  await renewed(thread);
  expect(beat.lost).toBe(false);
  await beat.stop();
  expect(beat.lost).toBe(false);
});

it('the first progress of each part of a run is told long before a beat is due', async () => {
  const { heartbeats, store, claim } = await aThread({
    lease: 60_000,
    beat: 30_000,
    firstProgress: 50,
    stallAfter: 30_000,
  });
  const beat = heartbeats.start(claim);
  for (const note of ['one', 'two']) {
    beat.nextPart(note);
    while ((await store.get(claim.ref))?.progress?.note !== note) await clock.sleep(millis(20));
  }
  await beat.stop();
});

it('a main thread that answers no ping for stallAfter loses its lease', async () => {
  const thread = await aThread({ lease: 3000, beat: 200, stallAfter: 600 });
  const beat = thread.heartbeats.start(thread.claim);
  await renewed(thread);
  block(5000);
  expect((await thread.store.get(thread.claim.ref))?.leaseUntil).toBeLessThan(clock.now());
  await aborted(beat);
  expect(beat.lost).toBe(true);
  await beat.stop();
});

it('a cancel reaches the main thread', async () => {
  const thread = await aThread({ lease: 5000, beat: 200, stallAfter: 30_000 });
  const beat = thread.heartbeats.start(thread.claim);
  const { version } = thread.claim.row;
  await writeRule(thread.engine, thread.claim.ref, 'request-cancel', { version, cancelReason: 'asked' });
  await aborted(beat);
  expect(beat).toMatchObject({ lost: false, cancelReason: 'asked' });
  await beat.stop();
});

it('stops renewing when it is told to, after the beat under way', async () => {
  const thread = await aThread({ lease: 5000, beat: 100, stallAfter: 30_000 });
  const beat = thread.heartbeats.start(thread.claim);
  beat.progress({ done: 1, total: 3, note: 'x' });
  await renewed(thread);
  await beat.stop();
  const { leaseUntil, progress } = (await thread.store.get(thread.claim.ref)) ?? {};
  await clock.sleep(millis(400));
  expect((await thread.store.get(thread.claim.ref))?.leaseUntil).toBe(leaseUntil);
  expect(progress).toEqual({ done: 1, total: 3, note: 'x' });
});

it('a lease that is taken away is lost', async () => {
  const thread = await aThread({ lease: 5000, beat: 200, stallAfter: 30_000 });
  const beat = thread.heartbeats.start(thread.claim);
  await writeRule(thread.engine, thread.claim.ref, 'reclaim', { version: thread.claim.row.version, now: clock.now() });
  await aborted(beat);
  expect(beat.lost).toBe(true);
  await beat.stop();
});
