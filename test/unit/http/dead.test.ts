import * as z from 'zod';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import type { TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { epochMs, later, minutes, seconds, toIso } from '../../../lib/core/time.ts';
import { createEffects } from '../../../lib/events/effects.ts';
import { relayChanges } from '../../../lib/events/relay.ts';
import { bulkKind } from '../../../lib/job/dead/bulk-kind.ts';
import { TerminalError } from '../../../lib/job/run/outcome.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { refOf } from '../../../lib/job/row.ts';
import { workspaceSide } from '../../../lib/job/dead/workspaces.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { pipeline } from '../../../lib/pipeline/definition.ts';
import { defineStage } from '../../../lib/pipeline/stage.ts';
import { type Answered, type Json, outcome, startApp } from './harness.ts';

type App = Awaited<ReturnType<typeof startApp>>;

const stage = (name: string) => defineStage({ name, output: z.json(), run: async () => 1 });
const staged = pipeline('staged', { input: z.strictObject({ n: z.number() }), version: '1' })
  .stage(stage('read'))
  .stage(stage('write'))
  .stage(stage('tell'));

let app: App;
beforeEach(async () => {
  const picky = defineJob({
    kind: 'picky',
    input: z.strictObject({ n: z.number(), works: z.boolean().default(false) }),
    run: async (_ctx, { n, works }) => {
      if (!works) throw new TerminalError(`row ${n} of "${n}.csv" is bad`);
      return n;
    },
  });
  const kinds = [picky, staged, bulkKind(() => app.deps)];
  app = await startApp({ registry: createRegistry(kinds) });
});
afterEach(() => app[Symbol.dispose]());

/** Does what was rung, and relays what has changed since the start, with its effects. */
async function work(): Promise<void> {
  await app.work();
  await relayChanges({ ...app.deps, effects: createEffects(app.deps) }, await app.store.changes(0, 10_000));
}

async function fail(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    await app.clock.sleep(seconds(1));
    ids.push((await app.send('POST', '/v1/jobs', { json: { kind: 'picky', input: { n } } })).body.id);
    await app.work();
  }
  await work();
  return ids;
}

const get = async (path: string): Promise<Json> => (await app.send('GET', path)).body;
const post = (path: string, json: unknown = {}): Promise<Answered> => app.send('POST', path, { json });
const statusOf = async (id: string): Promise<string> => (await get(`/v1/jobs/${id}`)).status;
const dead = async () => (await get('/v1/dead?limit=100')).data.map(({ id }: Json) => id);
const groups = async () => (await get('/v1/dead/groups')).data;

describe('failures', () => {
  it('are listed, the latest first, and by cause', async () => {
    const ids = await fail(3);
    expect(await dead()).toEqual([...ids].reverse());
    const [group, ...others] = await groups();
    expect(others).toEqual([]);
    expect(group).toMatchObject({
      ...{ kind: 'picky', code: 'HANDLER_TERMINAL', count: 3, message: 'row 2 of "2.csv" is bad' },
      sample: [...ids].reverse(),
    });
    const page = await get(`/v1/dead/groups/${group.fingerprint}/jobs?limit=2`);
    expect(page.data.map(({ id }: Json) => id)).toEqual([ids[2], ids[1]]);
    expect(page.data[0].error.fingerprint).toBe(group.fingerprint);
    const rest = await get(`/v1/dead/groups/${group.fingerprint}/jobs?limit=2&cursor=${page.nextCursor}`);
    expect(rest).toMatchObject({ data: [{ id: ids[0] }], nextCursor: null });
    expect(await get('/v1/dead/groups/0000000000000000/jobs')).toEqual({ data: [], nextCursor: null });
  });

  it('are listed by cause beside those that cannot be read', async () => {
    const ids = await fail(2);
    const [group] = await groups();
    const { get: read } = app.store;
    const detail = 'Its format is 2.';
    Object.assign(app.deps.store, {
      get: async (ref: Parameters<typeof read>[0]) => {
        if (String(ref.id) === ids[0]) throw new Fault('ROW_UNREADABLE', detail);
        return read(ref);
      },
    });
    const page = await get(`/v1/dead/groups/${group.fingerprint}/jobs`);
    Object.assign(app.deps.store, { get: read });
    expect(page).toMatchObject({
      data: [{ id: ids[1] }],
      unreadable: [{ id: ids[0], code: 'ROW_UNREADABLE', detail }],
    });
  });

  it('are seen by their own workspace alone', async () => {
    await fail(1);
    const other = await app.send('GET', '/v1/dead/groups', { key: app.keys.other });
    expect(other.body.data).toEqual([]);
  });
});

describe('a redrive', () => {
  it('with another input succeeds, and takes the job out of its group', async () => {
    const [id] = await fail(1);
    expect(outcome(await post(`/v1/jobs/${id}/redrive`, { input: { n: 'x' } }))).toBe('422 VALIDATION_FAILED');
    const redriven = await post(`/v1/jobs/${id}/redrive`, { input: { n: 1, works: true }, reason: 'repaired' });
    expect(redriven).toMatchObject({ status: 202, body: { status: 'queued', redrives: 1, attempts: 0 } });
    await work();
    expect(await get(`/v1/jobs/${id}`)).toMatchObject({ status: 'succeeded', result: 1 });
    expect([await dead(), await groups()]).toEqual([[], []]);
    expect(outcome(await post(`/v1/jobs/${id}/redrive`))).toBe('409 CONFLICT');
  });

  it('begins a pipeline at any stage whose predecessors are committed', async () => {
    const json = (earlier: object) => JSON.stringify({ v: 1, stage: 'write', output: 1, earlier });
    const row = aJobRow({
      ...{ tenant: 't1' as unknown as TenantId, workspace: 'main' as unknown as WorkspaceId },
      ...{ kind: 'staged', stage: 'write', stageOutput: 'item:two', input: { inline: '{"n":1}' } },
      createdAt: app.clock.now(),
    });
    const params = { writeId: 'w', submitId: 'w', epoch: 1, nowSeconds: 1, dueAt: app.clock.now() };
    await app.store.submit(row, params as never);
    await app.store.putPayload(refOf(row), 'two', json({ read: 'item:one' }));
    const again = async (fromStage: string) => {
      await post(`/v1/jobs/${row.id}/cancel`);
      const { status, body } = await post(`/v1/jobs/${row.id}/redrive`, { fromStage });
      const { stage: at, stageOutput } = (await app.store.get(refOf(row)))!;
      return status === 202 ? { at, stageOutput } : body.errors;
    };
    expect(await again('nothing')).toMatchObject([{ pointer: '#/fromStage', detail: /read, write, tell/ }]);
    expect(await again('tell')).toEqual({ at: 'write', stageOutput: 'item:two' });
    expect(await again('write')).toEqual({ at: 'read', stageOutput: 'item:one' });
    expect(await again('read')).toEqual({ at: undefined, stageOutput: undefined });
    expect(await again('tell')).toMatchObject([{ detail: /No stage is committed/ }]);
  });

  it('of a job without stages takes no stage', async () => {
    const [id] = await fail(1);
    expect(outcome(await post(`/v1/jobs/${id}/redrive`, { fromStage: 'read' }))).toBe('422 VALIDATION_FAILED');
  });
});

describe('many at once', () => {
  it('are counted and sampled by a dry run, which changes nothing', async () => {
    const ids = await fail(3);
    const since = (await get(`/v1/jobs/${ids[1]}`)).finishedAt;
    const dry = await post('/v1/dead/redrive', { filter: { kind: 'picky', since }, dryRun: true });
    expect(dry.body).toEqual({ dryRun: true, matched: 2, complete: true, sample: [ids[2], ids[1]] });
    expect(await dead()).toHaveLength(3);
  });

  it.each([
    ['everything', () => ({}), 3],
    ['a fingerprint', async () => ({ fingerprint: (await groups())[0].fingerprint }), 3],
    ['a code', () => ({ code: 'HANDLER_TERMINAL' }), 3],
    ['another code', () => ({ code: 'CRASHED' }), 0],
    ['another kind', () => ({ kind: 'staged' }), 0],
    ['a flow', () => ({ flow: 'f' }), 0],
    ['a stage', () => ({ stage: 'read' }), 0],
    ['a time before', () => ({ until: toIso(app.clock.now()) }), 2],
    ['an id', async () => ({ ids: [(await dead())[1]] }), 1],
  ])('are redriven by %s', async (_, filterOf, wanted) => {
    await fail(3);
    const { status, body } = await post('/v1/dead/redrive', { filter: await Promise.resolve(filterOf()) });
    expect([status, body.matched, body.done, body.skipped]).toEqual([200, wanted, wanted, []]);
    expect(await dead()).toHaveLength(3 - wanted);
  });

  it('start one after another at the rate that is asked for', async () => {
    await fail(3);
    await post('/v1/dead/redrive', { filter: {}, ratePerSecond: 0.1, limit: 2 });
    const queued = (await get('/v1/jobs?status=queued')).data.map(({ notBefore }: Json) => notBefore);
    const now = app.clock.now();
    expect(queued.sort()).toEqual([toIso(later(now, seconds(10))), undefined]);
    expect(await dead()).toHaveLength(1);
  });

  it('are discarded, and can still be redriven by id', async () => {
    const [first] = await fail(2);
    expect((await post('/v1/dead/discard', { filter: {} })).body).toMatchObject({ done: 2 });
    await work();
    expect([await dead(), await groups()]).toEqual([[], []]);
    expect(await statusOf(first!)).toBe('failed');
    expect((await post('/v1/dead/redrive', { filter: {} })).body).toMatchObject({ matched: 0 });
    expect((await post('/v1/dead/redrive', { filter: { ids: [first] } })).body).toMatchObject({ done: 1 });
  });

  it('are cancelled where they have not ended', async () => {
    await fail(1);
    const ids = [];
    for (const n of [1, 2]) ids.push((await post('/v1/jobs', { kind: 'picky', input: { n } })).body.id);
    expect((await post('/v1/jobs/cancel', { filter: { kind: 'picky' } })).body).toMatchObject({ matched: 2, done: 2 });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['cancelled', 'cancelled']);
    expect(await dead()).toHaveLength(1);
  });

  it('that are more than a request has time for are done by a job', async () => {
    await fail(102);
    const { status, body, headers } = await post('/v1/dead/redrive', { filter: { kind: 'picky' }, limit: 101 });
    expect([status, headers.get('location')]).toEqual([202, `/v1/jobs/${body.jobId}`]);
    expect(body).toMatchObject({ matched: 101, dryRun: false });
    const [bell] = app.rung.splice(0);
    expect(bell?.ref.id).toBe(body.jobId);
    app.rung.push(bell!);
    await work();
    const job = await get(`/v1/jobs/${body.jobId}`);
    expect(job).toMatchObject({ status: 'succeeded', result: { action: 'redrive', done: 101, skipped: 0 } });
    expect(await dead()).toHaveLength(1);
    expect(outcome(await post('/v1/jobs', { kind: 'system.bulk', input: {} }))).toBe('422 UNKNOWN_KIND');
  });

  it.each([
    ['no filter', {}],
    ['an unknown field', { filter: { owner: 'me' } }],
    ['a limit of none', { filter: {}, limit: 0 }],
    ['a rate of none', { filter: {}, ratePerSecond: 0 }],
    ['an id that is none', { filter: { ids: ['x'] } }],
    ['a time that is none', { filter: { since: 'yesterday' } }],
  ])('are refused with %s', async (_, json) => {
    expect(outcome(await post('/v1/dead/redrive', json))).toBe('422 VALIDATION_FAILED');
  });
});

describe('an operator', () => {
  it('reclaims a running job', async () => {
    const { id } = (await post('/v1/jobs', { kind: 'picky', input: { n: 1 } })).body;
    expect(outcome(await post(`/v1/jobs/${id}/reclaim`))).toBe('409 CONFLICT');
    const row = (await app.store.get({ tenant: 't1', workspace: 'main', id } as never))!;
    const now = app.clock.now();
    const claim = { epoch: row.epoch, owner: 'own_a', heldBy: 'worker', leaseUntil: later(now, seconds(45)), now };
    await app.store.write(refOf(row), 'claim', { ...claim, dueAt: claim.leaseUntil, writeId: 'w' } as never);
    expect(await post(`/v1/jobs/${id}/reclaim`)).toMatchObject({ status: 200, body: { status: 'queued', crashes: 1 } });
  });

  it('sees what was lost, by class, and empty lists where nothing was', async () => {
    const { id } = (await post('/v1/jobs', { kind: 'picky', input: { n: 1 } })).body;
    const lists = async () => {
      const { complete, classes } = await get('/v1/orphans');
      expect([complete, classes.length]).toEqual([true, 8]);
      return classes.flatMap(({ class: name, jobs }: Json) => jobs.map((job: Json) => [name, job.id]));
    };
    expect(await lists()).toEqual([]);
    await app.clock.sleep(minutes(5));
    expect(await lists()).toEqual([['lost-doorbell', id]]);
    const { get: read } = app.store;
    const fault = new Fault('ROW_UNREADABLE', 'Its format is 2.');
    Object.assign(app.deps.store, { get: () => Promise.reject(fault) });
    expect((await get('/v1/orphans')).unreadable).toEqual([{ id, code: 'ROW_UNREADABLE', detail: fault.detail }]);
    Object.assign(app.deps.store, { get: read });
    expect((await app.send('GET', '/v1/orphans', { key: app.keys.other })).body.classes[0].jobs).toEqual([]);
    const gone = { at: epochMs(0), until: epochMs(0), purgedBy: id };
    const side = workspaceSide({ tenant: 't1', workspace: 'main' } as never);
    await app.store.writeSide(side, 'create', { fields: gone, now: epochMs(0) });
    expect(await lists()).toEqual([['gone-workspace', id]]);
  });
});
