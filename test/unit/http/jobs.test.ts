import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { faultCatalogue } from '../../../lib/core/fault.ts';
import { derivedId, type OwnerToken } from '../../../lib/core/ids.ts';
import { later, minutes } from '../../../lib/core/time.ts';
import { jobView } from '../../../lib/http/job-view.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import type { JobRow } from '../../../lib/job/row.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { type Answered, harnessKinds, type Json, outcome, startApp } from './harness.ts';

type App = Awaited<ReturnType<typeof startApp>>;
const submit = (app: App, json: object, headers: Record<string, string> = {}): Promise<Answered> =>
  app.send('POST', '/v1/jobs', { json, headers });
const echo = { kind: 'echo', input: { say: 'hello' } };

describe('a submitted job', () => {
  it('is queued, rung once, and found at its location with its result once it has run', async () => {
    using app = await startApp();
    const made = await submit(app, echo, { 'x-correlation-id': 'order-7' });
    expect([made.status, made.headers.get('retry-after')]).toEqual([202, '1']);
    expect(made.body).toMatchObject({ kind: 'echo', status: 'queued', attempts: 0, correlationId: 'order-7' });
    expect(made.body).not.toHaveProperty('result');
    const location = made.headers.get('location') ?? '';
    expect(location).toBe(`/v1/jobs/${made.body.id}`);
    expect(app.rung).toHaveLength(1);
    await app.work();
    const done = (await app.send('GET', location)).body;
    expect(done).toMatchObject({ status: 'succeeded', result: { say: 'hello' }, finishedAt: expect.any(String) });
    expect(outcome(await app.send('GET', location, { key: app.keys.other }))).toBe('404 NOT_FOUND');
  });

  it('answers with a result that is kept outside of its row', async () => {
    using app = await startApp();
    for (const length of [300, 30_000, 300_000]) {
      const { body } = await submit(app, { kind: 'echo', input: { say: 'x'.repeat(length) } });
      await app.work();
      expect((await app.send('GET', `/v1/jobs/${body.id}`)).body.result.say).toHaveLength(length);
    }
  });

  it('keeps a valid traceparent and drops one that is not', async () => {
    using app = await startApp();
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const kept = async (traceparent: string) => {
      const { body } = await submit(app, echo, { traceparent });
      return (await app.store.get({ tenant: 't1', workspace: 'main', id: body.id } as never))?.traceparent;
    };
    expect(await kept(trace)).toBe(trace);
    expect(await kept(`00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`)).toBeUndefined();
    expect(await kept('nonsense')).toBeUndefined();
  });

  it('that fails says why and what to do next', async () => {
    using app = await startApp();
    const { body } = await submit(app, { kind: 'fail', input: null });
    await app.work();
    const failed = (await app.send('GET', `/v1/jobs/${body.id}`)).body;
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'HANDLER_TERMINAL', next: expect.any(String) } });
    expect(failed.error.detail).toContain('it cannot be');
  });

  it('that is dead is not said to be tried again', async () => {
    const error = { code: 'HANDLER_FAILED', detail: 'no', retriable: true };
    const nextOf = (row: JobRow) => jobView(row, row.createdAt).error?.next;
    expect(nextOf(aJobRow({ status: 'queued', error }))).toContain('tried again');
    expect(nextOf(aJobRow({ status: 'dead', error }))).toBe('Repair the cause, then redrive the job.');
    expect(
      nextOf(aJobRow({ status: 'failed', error: { ...error, code: 'DEADLINE_EXCEEDED', retriable: false } })),
    ).toBe(faultCatalogue.DEADLINE_EXCEEDED.next);
  });

  it('starts after the time asked for, which is one of two ways and within a year', async () => {
    using app = await startApp();
    const delayed = await submit(app, { ...echo, delaySeconds: 30 });
    expect(delayed.body).toMatchObject({ waiting: { reason: 'time' }, notBefore: '2026-01-01T00:00:30.000Z' });
    expect(delayed.headers.get('retry-after')).toBe('30');
    const timed = await submit(app, { ...echo, notBefore: '2026-01-02T00:00:00Z' });
    expect(timed.body.notBefore).toBe('2026-01-02T00:00:00.000Z');
    const refused = [
      { delaySeconds: 1, notBefore: '2026-01-02T00:00:00Z' },
      { delaySeconds: -1 },
      { delaySeconds: 1e9 },
      { notBefore: '2028-01-01T00:00:00Z' },
      { notBefore: 'tomorrow' },
    ];
    for (const when of refused) expect(outcome(await submit(app, { ...echo, ...when }))).toBe('422 VALIDATION_FAILED');
  });

  it('needs a kind that is deployed and not internal, and an input that fits it', async () => {
    using app = await startApp();
    for (const kind of ['nothing', 'sweep', '__proto__', 'toString']) {
      const answer = await submit(app, { kind, input: {} });
      expect([outcome(answer), answer.body.known]).toEqual(['422 UNKNOWN_KIND', ['echo', 'fail', 'ingest']]);
    }
    const unfit = await submit(app, { kind: 'echo', input: { say: 7 } });
    expect([outcome(unfit), unfit.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/input/say']);
    expect(outcome(await submit(app, { kind: 'echo' }))).toBe('422 VALIDATION_FAILED');
    expect(app.rung).toHaveLength(0);
  });

  it('in a body that is not JSON, too long, too deep or of another type is refused', async () => {
    using app = await startApp();
    const post = (body: string | Uint8Array, type = 'application/json') =>
      app.send('POST', '/v1/jobs', { body: body as never, headers: { 'content-type': type } });
    const deep = `{"kind":"echo","input":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    for (const body of ['', '{', '{"kind":', 'null,', deep, new Uint8Array([0x22, 0xff, 0x22])])
      expect(outcome(await post(body))).toBe('400 MALFORMED_JSON');
    expect(outcome(await post('null'))).toBe('422 VALIDATION_FAILED');
    expect(outcome(await post(JSON.stringify('x'.repeat(2 ** 20))))).toBe('413 BODY_TOO_LARGE');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect(outcome(await post(JSON.stringify(echo), type))).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect((await post(JSON.stringify(echo), 'application/vnd.api+json; charset=utf-8')).status).toBe(202);
  });
});

describe('Prefer: wait', () => {
  it('answers with the finished job as soon as it is finished', async () => {
    using app = await startApp();
    let sleeps = 0;
    app.clock.onSleep = () => (++sleeps === 3 ? app.work() : undefined);
    const answer = await submit(app, echo, { prefer: 'respond-async, wait=5' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('preference-applied')).toBe('wait=5');
    expect(answer.headers.has('retry-after')).toBe(false);
    expect(answer.body).toMatchObject({ status: 'succeeded', result: { say: 'hello' } });
    expect(sleeps).toBe(3);
  });

  it('answers 202 when the time is up, waits no longer than 20 seconds, and says so', async () => {
    using app = await startApp();
    const waited = async (prefer: string) => {
      const start = app.clock.now();
      const answer = await submit(app, echo, { prefer });
      return [answer.status, app.clock.now() - start, answer.headers.get('preference-applied')];
    };
    expect(await waited('wait=3')).toEqual([202, 3000, 'wait=3']);
    expect(await waited('wait=100')).toEqual([202, 20_000, 'wait=20']);
    expect(await waited('wait="2"; x=y')).toEqual([202, 2000, 'wait=2']);
    for (const prefer of ['wait=-1', 'wait=soon', 'await=3', 'wait=1.5'])
      expect(await waited(prefer)).toEqual([202, 0, null]);
  });

  it('looks ever less often', async () => {
    using app = await startApp();
    const pauses: number[] = [];
    app.clock.onSleep = (by) => void pauses.push(by);
    await submit(app, echo, { prefer: 'wait=20' });
    expect(pauses.slice(0, 3)).toEqual([50, 75, 113]);
    expect(Math.max(...pauses)).toBe(1000);
    expect(pauses.length).toBeLessThan(35);
  });
});

describe('jobs', () => {
  it('are listed by status and kind, without results', async () => {
    using app = await startApp();
    await submit(app, echo);
    await submit(app, { kind: 'fail', input: null });
    await app.work();
    const { body: queued } = await submit(app, echo);
    const ids = async (query: string) =>
      (await app.send('GET', `/v1/jobs?${query}`)).body.data.map((job: { status: string; kind: string }) => [
        job.status,
        job.kind,
      ]);
    expect(await ids('status=queued')).toEqual([['queued', 'echo']]);
    expect(await ids('kind=fail')).toEqual([['failed', 'fail']]);
    expect((await ids('')).sort()).toEqual([
      ['failed', 'fail'],
      ['queued', 'echo'],
      ['succeeded', 'echo'],
    ]);
    expect((await app.send('GET', '/v1/jobs?status=succeeded')).body.data[0]).not.toHaveProperty('result');
    expect((await app.send('GET', '/v1/jobs', { key: app.keys.other })).body.data).toEqual([]);
    expect((await app.send('GET', '/v1/jobs?status=queued')).body.data[0].id).toBe(queued.id);
  });

  it('are listed by time, parent, flow and failed attempts, and refuse what is none of these', async () => {
    using app = await startApp();
    await submit(app, echo);
    app.clock.onSleep = () => undefined;
    await app.clock.sleep(minutes(10));
    const { body: second } = await submit(app, echo);
    const ids = async (query: string) =>
      (await app.send('GET', `/v1/jobs?${query}`)).body.data.map((job: Json) => job.id);
    expect(await ids('since=2026-01-01T00:10:00Z')).toEqual([second.id]);
    expect(await ids('until=2026-01-01T00:10:00Z&limit=1')).toHaveLength(1);
    expect(await ids('attemptsGte=1')).toEqual([]);
    expect(await ids(`parentId=${second.id}`)).toEqual([]);
    expect(await ids('flow=nightly')).toEqual([]);
    for (const bad of ['since=yesterday', 'attemptsGte=-1', 'parentId=7', 'flow=', 'order=asc'])
      expect([bad, outcome(await app.send('GET', `/v1/jobs?${bad}`))]).toEqual([bad, '422 VALIDATION_FAILED']);
  });

  it('say why they wait, since when, and when somebody looks next', async () => {
    using app = await startApp();
    const { body } = await submit(app, echo);
    expect(body).toMatchObject({
      version: expect.any(Number),
      epoch: expect.any(Number),
      maxAttempts: 3,
      lane: 'default',
    });
    const since = new Date(app.clock.now()).toISOString();
    expect(body.waiting).toEqual({
      reason: 'worker',
      detail: expect.any(String),
      since,
      next: '2026-01-01T00:00:45.000Z',
    });
    await app.work();
    expect((await app.send('GET', `/v1/jobs/${body.id}`)).body).not.toHaveProperty('waiting');
  });

  it('are cancelled at once while they wait, with the reason given; a finished one stays as it is', async () => {
    using app = await startApp();
    const { body: waiting } = await submit(app, { ...echo, delaySeconds: 60 });
    const cancel = (id: string, json?: object, key = app.keys.own) =>
      app.send('POST', `/v1/jobs/${id}/cancel`, { key, ...(json && { json }) });
    expect(outcome(await cancel(waiting.id, {}, app.keys.other))).toBe('404 NOT_FOUND');
    expect(outcome(await cancel(waiting.id, { reason: '' }))).toBe('422 VALIDATION_FAILED');
    const cancelled = await cancel(waiting.id, { reason: 'not wanted' });
    expect(cancelled.body).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
    expect(cancelled.body.error.detail).toContain('not wanted');
    app.rung.length = 0;
    const { body: done } = await submit(app, echo);
    await app.work();
    expect((await cancel(done.id)).body).toMatchObject({ status: 'succeeded', result: { say: 'hello' } });
    expect(outcome(await cancel(derivedId('job', 'none')))).toBe('404 NOT_FOUND');
  });

  it('tell what has happened so far, from any version on', async () => {
    using app = await startApp();
    const { body } = await submit(app, echo);
    await app.work();
    const events = async (query = '') => (await app.send('GET', `/v1/jobs/${body.id}/events${query}`)).body.data;
    const all = await events();
    expect(all.map((event: { rule: string }) => event.rule)).toEqual(['submit', 'claim', 'succeed']);
    expect(await events(`?afterVersion=${all[0].version}`)).toEqual(all.slice(1));
    const first = (await app.send('GET', `/v1/jobs/${body.id}/events?limit=1`)).body;
    expect(first.data).toEqual(all.slice(0, 1));
    const rest = (await app.send('GET', `/v1/jobs/${body.id}/events?limit=100&cursor=${first.nextCursor}`)).body;
    expect(rest.data).toEqual(all.slice(1));
    const elsewhere = await app.send('GET', `/v1/jobs/${body.id}/events`, { key: app.keys.other });
    expect(outcome(elsewhere)).toBe('404 NOT_FOUND');
  });
});

describe('a job that waits for its children', () => {
  it('is as far as they are: those that have ended, and the others by what they say of themselves', async () => {
    const seen: Json[] = [];
    const child = defineJob({
      kind: 'child',
      input: z.strictObject({ steps: z.int() }),
      run: async ({ ref, clock }, { steps }) => {
        const { epoch, leaseOwner: owner } = (await app.store.get(ref)) as JobRow & { leaseOwner: OwnerToken };
        const progress = { done: 1, total: steps, note: 'step' };
        await app.store.write(ref, 'heartbeat', { epoch, owner, leaseUntil: later(clock.now(), minutes(1)), progress });
        const { parentId } = (await app.store.get(ref)) ?? {};
        seen.push((await app.send('GET', `/v1/jobs/${String(parentId)}`)).body.progress);
        return null;
      },
    });
    const parent = defineJob({
      kind: 'parent',
      input: z.null(),
      run: async (ctx) => {
        for (const steps of [4, 2, 0]) await ctx.submit('child', { steps });
        ctx.progress(7, 7, 'survey');
        return (await ctx.waitForChildren()).length;
      },
    });
    using app = await startApp({ registry: createRegistry([...harnessKinds, parent, child]) });
    await submit(app, { kind: 'parent', input: null });
    while (app.rung.length > 0) await app.work();
    expect(seen).toEqual([
      { done: 0.25, total: 3, note: 'children' },
      { done: 1.5, total: 3, note: 'children' },
      { done: 2, total: 3, note: 'children' },
    ]);
  });
});
