import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../lib/core/time.ts';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { createTickKind } from '../../../lib/job/schedule/tick-kind.ts';
import { type Answered, type Json, outcome, startApp } from './harness.ts';

const echo = defineJob({ kind: 'echo', input: z.strictObject({ say: z.string() }), run: async (_ctx, input) => input });
const brief = defineJob({ kind: 'brief', input: z.unknown(), run: async () => null });
const hidden = defineJob({ kind: 'hidden', internal: true, input: z.unknown(), run: async () => null });

type App = Awaited<ReturnType<typeof anApp>>;

/** At midnight UTC on 1 January 2026. `kinds` may lose some while it runs. */
async function anApp() {
  const kinds = [echo, brief, hidden];
  const registry = () => createRegistry([...kinds, createTickKind(() => app.deps)]);
  const app = await startApp({ registry: { find: (kind) => registry().find(kind), names: () => registry().names() } });
  const executions = { start: async () => undefined, probe: async () => 'unknown' as const };
  /** Lets time pass in steps of a second, with a sweep at each minute, and does what is rung. */
  const pass = async (forSeconds: number) => {
    const until = app.clock.now() + forSeconds * 1000;
    let swept = Math.floor(app.clock.now() / 60_000);
    while (app.clock.now() < until) {
      await app.clock.sleep(seconds(1));
      if (Math.floor(app.clock.now() / 60_000) > swept) await sweep({ ...app.deps, executions });
      swept = Math.floor(app.clock.now() / 60_000);
      await app.work();
      await app.work();
    }
  };
  return { ...app, kinds, pass, [Symbol.dispose]: () => app.store.close() };
}

const put = (app: App, id: string, json: object, headers: Record<string, string> = {}): Promise<Answered> =>
  app.send('PUT', `/v1/schedules/${id}`, { json, headers });
const get = async (app: App, id: string): Promise<Json> => (await app.send('GET', `/v1/schedules/${id}`)).body;
const post = (app: App, path: string, headers: Record<string, string> = {}) =>
  app.send('POST', `/v1/schedules/${path}`, { headers });
const hello = { kind: 'echo', input: { say: 'hello' } };
const pointers = ({ body }: Answered) => body.errors?.map(({ pointer }: Json) => pointer);

describe('a schedule', () => {
  it('is created, read, listed, replaced and deleted, each in its workspace', async () => {
    using app = await anApp();
    const made = await put(app, 'nightly', { ...hello, cron: '30 2 * * *', timeZone: 'Europe/Berlin' });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/v1/schedules/nightly']);
    expect(made.body).toMatchObject({
      ...{ id: 'nightly', state: 'active', ...hello, cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
      ...{ overlap: 'skip', catchUp: 'last', catchUpLimit: 100, nextAt: '2026-01-01T01:30:00.000Z', runs: [] },
    });
    expect(await get(app, 'nightly')).toEqual(made.body);
    const replaced = await put(app, 'nightly', { ...hello, every: 'PT15M', overlap: 'queue' });
    expect([replaced.status, replaced.body.everySeconds, replaced.body.cron]).toEqual([200, 900, undefined]);
    await put(app, 'another', { kind: 'brief', input: null, every: 60 });
    const listed = (await app.send('GET', '/v1/schedules?limit=1')).body;
    const rest = (await app.send('GET', `/v1/schedules?cursor=${listed.nextCursor}`)).body;
    expect([...listed.data, ...rest.data].map(({ id }: Json) => id)).toEqual(['another', 'nightly']);
    expect(outcome(await app.send('GET', '/v1/schedules/nightly', { key: app.keys.other }))).toBe('404 NOT_FOUND');
    expect((await app.send('DELETE', '/v1/schedules/nightly')).status).toBe(204);
    for (const path of ['nightly', 'nightly/next', 'Nightly', 'never']) {
      expect(outcome(await app.send('GET', `/v1/schedules/${path}`))).toBe('404 NOT_FOUND');
    }
    for (const verb of ['pause', 'resume', 'run'])
      expect(outcome(await post(app, `nightly/${verb}`))).toBe('404 NOT_FOUND');
  });

  it('runs its job within a second of each time, from an interval and from cron', async () => {
    using app = await anApp();
    await put(app, 'often', { ...hello, every: 20 });
    await put(app, 'minutely', { ...hello, cron: '* * * * *' });
    await app.pass(185);
    const jobs: Json[] = (await app.send('GET', '/v1/jobs?limit=100')).body.data;
    const ran = jobs.filter(({ kind }) => kind === 'echo');
    expect(ran.filter(({ status }) => status === 'succeeded')).toHaveLength(9 + 3);
    expect(jobs).toHaveLength(ran.length);
    for (const { correlationId, startedAt } of ran) {
      const late = Date.parse(startedAt) - Date.parse(correlationId.split('/')[2]);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThanOrEqual(1000);
    }
    const { runs, nextAt } = await get(app, 'often');
    expect(nextAt).toBe('2026-01-01T00:03:20.000Z');
    expect(runs.map(({ at, outcome: became }: Json) => `${became} ${at.slice(14, 19)}`).slice(0, 2)).toEqual([
      'started 03:00',
      'started 02:40',
    ]);
    expect(ran.map(({ id }) => id)).toContain(runs[0].jobId);
  });

  it('tells its next times, on whichever clock', async () => {
    using app = await anApp();
    await put(app, 'weekly', { kind: 'brief', input: null, cron: '0 9 * * mon', timeZone: 'America/New_York' });
    const { times } = (await app.send('GET', '/v1/schedules/weekly/next?count=2')).body;
    expect(times).toEqual(['2026-01-05T14:00:00.000Z', '2026-01-12T14:00:00.000Z']);
    await put(app, 'anchored', { kind: 'brief', input: null, every: 'P1D', anchor: '2026-01-01T06:00:00Z' });
    expect((await app.send('GET', '/v1/schedules/anchored/next')).body.times[4]).toBe('2026-01-05T06:00:00.000Z');
    expect(outcome(await app.send('GET', '/v1/schedules/weekly/next?count=101'))).toBe('422 VALIDATION_FAILED');
  });

  it('does not run while it is paused, and goes on with the next time', async () => {
    using app = await anApp();
    await put(app, 'often', { ...hello, every: 20 });
    await app.pass(25);
    expect((await post(app, 'often/pause')).body).toMatchObject({ state: 'paused' });
    await app.pass(120);
    const paused = await get(app, 'often');
    expect([paused.nextAt, paused.runs.length]).toEqual([undefined, 1]);
    await put(app, 'often', { ...hello, every: 20 });
    expect(await get(app, 'often')).toMatchObject({ state: 'paused' });
    expect((await post(app, 'often/resume')).body).toMatchObject({
      state: 'active',
      nextAt: '2026-01-01T00:02:40.000Z',
    });
    await app.pass(20);
    expect((await get(app, 'often')).runs).toHaveLength(2);
  });

  it('runs at once by hand, also while it is paused, and once for an idempotency key', async () => {
    using app = await anApp();
    await put(app, 'rare', { ...hello, cron: '0 0 29 2 *' });
    await post(app, 'rare/pause');
    const [first, again] = [
      await post(app, 'rare/run', { 'idempotency-key': 'k' }),
      await post(app, 'rare/run', { 'idempotency-key': 'k' }),
    ];
    expect([first.status, again.body.id, again.headers.get('idempotent-replayed')]).toEqual([
      202,
      first.body.id,
      'true',
    ]);
    // A time of the schedule may fall on the same moment.
    expect(first.body.correlationId).toMatch(/^schedule\/rare\/[^/]+Z\/by-hand$/);
    expect(outcome(await post(app, 'rare/run'))).toBe('409 CONFLICT');
    await app.pass(1);
    const second = await post(app, 'rare/run');
    expect(second.status).toBe(202);
    expect((await get(app, 'rare')).runs.map(({ by, jobId }: Json) => [by, jobId])).toEqual([
      ['hand', second.body.id],
      ['hand', first.body.id],
    ]);
  });

  it('skips a time while the run before has not ended, and counts what it skips', async () => {
    using app = await anApp();
    await put(app, 'often', { ...hello, every: 20 });
    const held = await post(app, 'often/run');
    const at = app.rung.findIndex(({ ref }) => ref.id === held.body.id);
    const [bell] = app.rung.splice(at, 1);
    await app.pass(50);
    const skipped = { outcome: 'skipped', at: '2026-01-01T00:00:20.000Z', until: '2026-01-01T00:00:40.000Z', count: 2 };
    expect((await get(app, 'often')).runs[0]).toMatchObject(skipped);
    app.rung.push(bell!);
    await app.pass(15);
    expect((await get(app, 'often')).runs[0]).toMatchObject({ outcome: 'started', at: '2026-01-01T00:01:00.000Z' });
  });

  it('replaces the run before', async () => {
    using app = await anApp();
    await put(app, 'often', { ...hello, every: 600, overlap: 'replace' });
    const first = await post(app, 'often/run');
    const second = await post(app, 'often/run');
    expect([first.status, second.status]).toEqual([202, 202]);
    const { status, error } = (await app.send('GET', `/v1/jobs/${first.body.id}`)).body;
    expect([status, error.code]).toEqual(['cancelled', 'CANCELLED']);
  });

  it('makes up for times of an outage as catchUp says', async () => {
    using app = await anApp();
    for (const catchUp of ['none', 'last', 'all'])
      await put(app, catchUp, { kind: 'brief', input: null, every: 3600, catchUp, catchUpLimit: 3, overlap: 'allow' });
    await app.clock.sleep(hours(10));
    await app.clock.sleep(minutes(10));
    await app.pass(125);
    const became = async (id: string) =>
      (await get(app, id)).runs.map(({ outcome: what, count = 1, at }: Json) => `${what} ${count} ${at.slice(11, 13)}`);
    expect(await became('none')).toEqual(['missed 10 01']);
    expect(await became('last')).toEqual(['started 1 10', 'missed 9 01']);
    expect(await became('all')).toEqual(['started 1 10', 'started 1 09', 'started 1 08', 'missed 7 01']);
  });

  it('notes a run whose kind is gone, and runs on when it is back', async () => {
    using app = await anApp();
    await put(app, 'often', { ...hello, every: 30, overlap: 'allow' });
    app.kinds.splice(0, 1);
    await app.pass(35);
    expect((await get(app, 'often')).runs[0]).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_KIND' });
    expect((await post(app, 'often/run')).body.code).toBe('UNKNOWN_KIND');
    app.kinds.push(echo);
    await app.pass(30);
    expect((await get(app, 'often')).runs[0]).toMatchObject({ outcome: 'started' });
  });
});

describe('an edit of a schedule', () => {
  it('counts from the next time on, and moves no time of an interval that stays', async () => {
    using app = await anApp();
    await put(app, 'often', { ...hello, every: 40 });
    await app.pass(50);
    await put(app, 'often', { ...hello, input: { say: 'changed' }, every: 'PT40S' });
    expect((await get(app, 'often')).nextAt).toBe('2026-01-01T00:01:20.000Z');
    await app.pass(40);
    const jobs = (await app.send('GET', '/v1/jobs')).body.data.map(({ id }: Json) => app.send('GET', `/v1/jobs/${id}`));
    const said = (await Promise.all(jobs)).map(({ body }: Answered) => body.result.say);
    expect(said).toEqual(['changed', 'hello']);
  });

  it('brings no time back that was run, though a clock be slow', async () => {
    using app = await anApp();
    await put(app, 'often', { ...hello, every: 60 });
    await app.pass(61);
    await app.clock.sleep(seconds(-5));
    await put(app, 'often', { ...hello, every: 60, overlap: 'allow' });
    expect((await get(app, 'often')).nextAt).toBe('2026-01-01T00:02:00.000Z');
  });

  it('is refused where somebody else was first, and runs do not count as that', async () => {
    using app = await anApp();
    const made = await put(app, 'often', { ...hello, every: 20 }, { 'if-none-match': '*' });
    const etag = made.headers.get('etag') ?? '';
    expect(outcome(await put(app, 'often', { ...hello, every: 20 }, { 'if-none-match': '*' }))).toBe(
      '412 PRECONDITION_FAILED',
    );
    await app.pass(45);
    const second = await put(app, 'often', { ...hello, every: 30 }, { 'if-match': etag });
    expect(second.status).toBe(200);
    for (const match of [etag, '"0"', 'nonsense'])
      expect(outcome(await put(app, 'often', { ...hello, every: 40 }, { 'if-match': match }))).toBe(
        '412 PRECONDITION_FAILED',
      );
    const remove = (match: string) => app.send('DELETE', '/v1/schedules/often', { headers: { 'if-match': match } });
    expect(outcome(await remove(etag))).toBe('412 PRECONDITION_FAILED');
    expect((await remove(second.headers.get('etag') ?? '')).status).toBe(204);
  });
});

describe('what is wrong with a schedule', () => {
  it('is told by a pointer', async () => {
    using app = await anApp();
    const wrong: readonly (readonly [object, string])[] = [
      [{}, '#/cron'],
      [{ cron: '0 0 * * *', every: 60 }, '#/cron'],
      [{ cron: '0 0 30 2 *' }, '#/cron'],
      [{ cron: '* * * * * *' }, '#/cron'],
      [{ cron: 'x'.repeat(10_000) }, '#/cron'],
      [{ cron: '0 0 * * *', timeZone: 'Mars/Olympus' }, '#/timeZone'],
      [{ every: 60, timeZone: 'UTC' }, '#/timeZone'],
      [{ every: 0 }, '#/every'],
      [{ every: 9 }, '#/every'],
      [{ every: 1e9 }, '#/every'],
      [{ every: -60 }, '#/every'],
      [{ every: 'P1M' }, '#/every'],
      [{ every: 'PT' }, '#/every'],
      [{ every: 'PT5S' }, '#/every'],
      [{ every: 60, anchor: 'noon' }, '#/anchor'],
      [{ every: 60, anchor: '9999-01-01T00:00:00Z' }, '#/anchor'],
      [{ every: 60, flow: 'a/b' }, '#/flow'],
      [{ cron: 'every day' }, '#/cron'],
      [{ cron: '0 0 32 * *' }, '#/cron'],
      [{ cron: '0 0 * * *', anchor: '2026-01-01T00:00:00Z' }, '#/anchor'],
      [{ every: 60, kind: 'gone' }, '#/kind'],
      [{ every: 60, kind: 'hidden' }, '#/kind'],
      [{ every: 60, kind: 'system.schedule-tick' }, '#/kind'],
      [{ every: 60, input: { say: 1 } }, '#/input/say'],
      [{ every: 60, input: { say: 'x'.repeat(32_768) } }, '#/input'],
      [{ every: 60, overlap: 'maybe' }, '#/overlap'],
      [{ every: 60, catchUpLimit: 0 }, '#/catchUpLimit'],
      [{ every: 60, catchUpLimit: 1e9 }, '#/catchUpLimit'],
      [{ every: 60, startWithinSeconds: 0 }, '#/startWithinSeconds'],
    ];
    for (const [fields, pointer] of wrong) {
      const answer = await put(app, 'wrong', { ...hello, ...fields });
      expect([fields, answer.status, pointers(answer)]).toEqual([fields, 422, [pointer]]);
    }
    expect((await put(app, 'wrong', { ...hello, every: 60, seconds: 1 })).status).toBe(422);
    for (const cron of ['* * * * * *', 'every day'])
      expect((await put(app, 'wrong', { ...hello, cron })).body.detail).toContain('five fields');
    for (const id of ['a'.repeat(65), '.hidden', 'a%20b', 'a%2Fb'])
      expect((await put(app, id, { ...hello, every: 60 })).status).toBe(404);
    expect((await app.send('GET', '/v1/schedules')).body.data).toEqual([]);
  });
});
