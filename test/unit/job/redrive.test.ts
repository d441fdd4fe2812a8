import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { later, minutes, seconds } from '../../../lib/core/time.ts';
import { reclaimJob } from '../../../lib/job/dead/reclaim.ts';
import { discardJob, redriveJob } from '../../../lib/job/dead/redrive.ts';
import { defineJob } from '../../../lib/job/registry.ts';
import { refOf } from '../../../lib/job/row.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { aBench, aKind } from './bench.ts';

const run = async () => undefined;
const strict = defineJob({ kind: 'echo', input: z.strictObject({ n: z.number() }), deadline: minutes(5), run });
const dead = { status: 'dead', attempts: 3, crashes: 1, dueAt: undefined } as const;

describe('a redrive', () => {
  it('gives a finished job another life, with fresh budgets and a fresh deadline, and rings', async () => {
    const { engine, store, rings, put, play } = aBench(strict);
    const row = put(aJobRow({ ...dead, deadline: builtAt, cancelRequested: 'x' }));
    await play(redriveJob(engine, refOf(row)));
    const redriven = store.row(refOf(row))!;
    expect(redriven).toMatchObject({ status: 'queued', attempts: 0, crashes: 0, redrives: 1, input: row.input });
    expect(redriven).toMatchObject({ epoch: row.epoch + 1, deadline: later(builtAt, minutes(5)) });
    for (const gone of ['error', 'finishedAt', 'expiresAt', 'cancelRequested', 'notBefore'])
      expect(redriven).not.toHaveProperty(gone);
    expect(rings.map(({ bell }) => bell.epoch)).toEqual([redriven.epoch]);
  });

  it('makes one life of two that come at once', async () => {
    const { engine, store, put, play } = aBench(strict);
    const row = put(aJobRow(dead));
    const both = await play(Promise.allSettled([redriveJob(engine, refOf(row)), redriveJob(engine, refOf(row))]));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    expect(store.row(refOf(row))).toMatchObject({ redrives: 1, epoch: row.epoch + 1 });
  });

  it('takes a new input by the schema of the kind, and begins a pipeline anew with it', async () => {
    const { engine, store, put, play } = aBench(strict);
    const row = put(aJobRow({ ...dead, stage: 'parse', stageOutput: 'k' }));
    await expect(play(redriveJob(engine, refOf(row), { input: { n: 'no' } }))).rejects.toMatchObject({
      ...{ code: 'VALIDATION_FAILED', errors: [{ pointer: '#/input/n' }] },
    });
    expect(store.row(refOf(row))).toEqual(row);
    await play(redriveJob(engine, refOf(row), { input: { n: 2 } }));
    expect(store.row(refOf(row))).toMatchObject({ input: { inline: '{"n":2}' } });
    expect(store.row(refOf(row))).not.toHaveProperty('stage');
    expect(store.row(refOf(row))).not.toHaveProperty('stageOutput');
  });

  it('goes on after the last committed stage otherwise', async () => {
    const { engine, store, put, play } = aBench();
    const row = put(aJobRow({ ...dead, stage: 'parse', stageOutput: 'k' }));
    await play(redriveJob(engine, refOf(row)));
    expect(store.row(refOf(row))).toMatchObject({ stage: 'parse', stageOutput: 'k' });
  });

  it('may start later, at any horizon', async () => {
    const { engine, store, rings, put, play } = aBench(aKind(run));
    const [soon, far] = [later(builtAt, seconds(10)), later(builtAt, minutes(60))];
    const row = put(aJobRow(dead));
    await play(redriveJob(engine, refOf(row), { notBefore: soon }));
    expect(store.row(refOf(row))).toMatchObject({ notBefore: soon, dueAt: later(soon, engine.settings.lease) });
    expect(rings).toMatchObject([{ delay: seconds(10) }]);
    const other = put(aJobRow({ ...dead, id: 'job_01HF7YAT00BBBBBBBBBBBBBBBB' as unknown as typeof row.id }));
    await play(redriveJob(engine, refOf(other), { notBefore: far }));
    expect(store.row(refOf(other))).toMatchObject({ dueAt: later(far, seconds(-120)) });
    expect(rings).toHaveLength(1);
  });

  it.each([
    ['queued', aJobRow(), 'queued'],
    ['succeeded', aJobRow({ status: 'succeeded', dueAt: undefined }), 'succeeded'],
    ['owing', aJobRow({ ...dead, owes: 'job_x' }), 'owes'],
  ])('is refused for a job that is %s, saying so', async (_, row, says) => {
    const { engine, put, play } = aBench();
    put(row);
    await expect(play(redriveJob(engine, refOf(row)))).rejects.toMatchObject({
      ...{ code: 'CONFLICT', detail: expect.stringContaining(says) },
    });
  });
});

describe('a discard', () => {
  it('lists a failure no more, once, and keeps its expiry', async () => {
    const { engine, store, put, play } = aBench();
    const row = put(aJobRow({ ...dead, expiresAt: 1_800_000_000 as never }));
    await play(discardJob(engine, refOf(row)));
    const discarded = store.row(refOf(row));
    expect(discarded).toMatchObject({ status: 'dead', discarded: true, expiresAt: 1_800_000_000 });
    expect((await store.deadJobs(row, { limit: 9 })).items).toEqual([]);
    expect(await play(discardJob(engine, refOf(row)))).toEqual(discarded);
    await play(redriveJob(engine, refOf(row)));
    expect(store.row(refOf(row))).not.toHaveProperty('discarded');
  });

  it('is refused for a job that has not failed', async () => {
    const { engine, put, play } = aBench();
    const row = put(aJobRow());
    await expect(play(discardJob(engine, refOf(row)))).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a reclaim', () => {
  it('queues a running job at once, and fences whoever held it', async () => {
    const { engine, store, rings, put, play } = aBench();
    for (const heldBy of ['worker', 'execution'] as const) {
      const row = put(aJobRow({ status: 'running', heldBy }));
      const reclaimed = await play(reclaimJob(engine, refOf(row)));
      expect(reclaimed).toMatchObject({ status: 'queued', rule: 'reap', crashes: 1 });
      const late = { epoch: row.epoch, owner: row.leaseOwner!, leaseUntil: later(builtAt, minutes(9)) };
      expect((await store.write(refOf(row), 'heartbeat', late)).kind).toBe('refused');
    }
    expect(rings).toHaveLength(2);
  });

  it('reaps after the last reap whatever its own clock says, and keeps no time of that clock', async () => {
    const { engine, put, play, at } = aBench();
    const before = put(aJobRow({ status: 'running', reapedAt: at(minutes(5)) }));
    expect(await play(reclaimJob(engine, refOf(before)))).toMatchObject({ rule: 'reap', reapedAt: at(minutes(5)) + 1 });
    const never = put(aJobRow({ status: 'running', id: 'job_never' as never }));
    expect(await play(reclaimJob(engine, refOf(never)))).toMatchObject({ rule: 'reap', reapedAt: 1 });
  });

  it('ends a job with no crashes left, and one whose cancel was asked', async () => {
    const { engine, put, play } = aBench();
    const worn = put(aJobRow({ status: 'running', crashes: 2 }));
    expect(await play(reclaimJob(engine, refOf(worn)))).toMatchObject({ status: 'dead', rule: 'bury' });
    const asked = put(aJobRow({ status: 'running', cancelRequested: 'no' }));
    expect(await play(reclaimJob(engine, refOf(asked)))).toMatchObject({ status: 'cancelled' });
  });

  it('is refused for a job that does not run', async () => {
    const { engine, put, play } = aBench();
    const row = put(aJobRow());
    await expect(play(reclaimJob(engine, refOf(row)))).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
