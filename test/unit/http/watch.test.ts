import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../lib/core/chance.ts';
import { hours, millis, minutes, seconds } from '../../../lib/core/time.ts';
import { createLocalPlaces, createSharedPlaces } from '../../../lib/http/places.ts';
import { type Answered, outcome, startApp } from './harness.ts';

type App = Awaited<ReturnType<typeof startApp>>;
const submit = async (app: App, more: object = {}) =>
  (await app.send('POST', '/v1/jobs', { json: { kind: 'echo', input: { say: 'hello' }, ...more } })).body;

/** The app, how often a row was read, and what each sleep does. */
async function aWatch(overrides: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(overrides);
  const reads: number[] = [];
  const { get } = app.store;
  app.deps.store.get = (ref) => {
    reads.push(app.clock.now());
    return get(ref);
  };
  return { app, reads, [Symbol.dispose]: () => app.store.close() };
}

describe('GET …?wait', () => {
  it('leads to where callers wait, and answers itself what needs no wait', async () => {
    using app = await startApp();
    const { id } = await submit(app);
    const led = await app.send('GET', `/v1/jobs/${id}?wait=7&after=3`);
    expect([led.status, led.headers.get('location'), led.text]).toEqual([307, `${id}/watch?wait=7&after=3`, '']);
    await app.work();
    expect((await app.send('GET', `/v1/jobs/${id}?wait=7`)).body).toMatchObject({ status: 'succeeded' });
    for (const bad of ['wait=0', 'wait=26', 'wait=soon', 'after=-1'])
      expect(outcome(await app.send('GET', `/v1/jobs/${id}?${bad}`))).toBe('422 VALIDATION_FAILED');
  });
});

describe('a wait for a job', () => {
  it('answers with its result as soon as it has ended', async () => {
    using app = await startApp();
    const { id } = await submit(app);
    let sleeps = 0;
    app.clock.onSleep = () => (++sleeps === 3 ? app.work() : undefined);
    const { status, body } = await app.send('GET', `/v1/jobs/${id}/watch?wait=20`);
    expect([status, body.status, body.result, sleeps]).toEqual([200, 'succeeded', { say: 'hello' }, 3]);
  });

  it('answers at a change after the version that was seen, and at progress', async () => {
    using app = await startApp();
    const { id, version } = await submit(app, { delaySeconds: 600 });
    const watch = (after: number) => app.send('GET', `/v1/jobs/${id}/watch?wait=20&after=${after}`);
    const start = app.clock.now();
    expect((await watch(version - 1)).body).toMatchObject({ status: 'queued', version });
    expect(app.clock.now()).toBe(start);
    app.clock.onSleep = async () => {
      await app.send('POST', `/v1/jobs/${id}/cancel`, { json: {} });
    };
    expect((await watch(version)).body).toMatchObject({ status: 'cancelled', version: Number(version) + 1 });
  });

  it('answers with the job as it is when the time is up, having looked less than once a second', async () => {
    using watched = await aWatch();
    const { app, reads } = watched;
    const { id } = await submit(app, { delaySeconds: 600 });
    const start = app.clock.now();
    reads.length = 0;
    const { status, body, headers } = await app.send('GET', `/v1/jobs/${id}/watch?wait=25`);
    expect([status, body.status, headers.has('retry-after')]).toEqual([200, 'queued', false]);
    expect(app.clock.now() - start).toBe(25_000);
    expect(reads.length).toBeLessThan(20);
    for (let second = 5; second < 25; second++)
      expect(reads.filter((at) => at - start >= second * 1000 && at - start < (second + 1) * 1000).length).toBeLessThan(
        2,
      );
  });

  it('ends where the caller goes, and frees its place', async () => {
    using app = await startApp();
    const { id } = await submit(app, { delaySeconds: 600 });
    const caller = new AbortController();
    app.clock.onSleep = () => caller.abort();
    const headers = { authorization: `Bearer ${app.keys.own}` };
    for (let time = 0; time < 5; time++)
      await app.app.request(`/v1/jobs/${id}/watch`, { headers, signal: caller.signal });
    expect(app.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(5000);
  });

  it('is answered at once where all places are taken', async () => {
    using app = await startApp({ watch: { places: createLocalPlaces(0) } });
    const { id } = await submit(app, { delaySeconds: 600 });
    const start = app.clock.now();
    const { status, body, headers } = await app.send('GET', `/v1/jobs/${id}/watch?wait=25`);
    expect([status, body.status, headers.get('retry-after')]).toEqual([200, 'queued', '5']);
    expect(app.clock.now()).toBe(start);
  });

  it('is told by the store in one process: at a write to the job, and at the end of the wait', async () => {
    using app = await startApp();
    const { id } = await submit(app, { delaySeconds: 600 });
    const ref = { tenant: 't1', workspace: 'main', id } as never;
    const told = app.store.changed(ref, new AbortController().signal);
    await app.send('POST', `/v1/jobs/${id}/cancel`, { json: {} });
    await told;
    const ended = new AbortController();
    const never = app.store.changed(ref, ended.signal);
    ended.abort();
    await never;
    await app.store.changed(ref, AbortSignal.abort());
  });

  it('looks at once where the store tells of a change, however long the pause', async () => {
    let tell: () => void = () => undefined;
    const changed = () => new Promise<void>((resolve) => (tell = resolve));
    using app = await startApp({ watch: { places: createLocalPlaces(1), changed } });
    const { id } = await submit(app);
    app.clock.sleep = () => new Promise<void>(() => void app.work().then(() => tell()));
    expect((await app.send('GET', `/v1/jobs/${id}/watch`)).body.status).toBe('succeeded');
  });
});

const sse = (app: App, id: string, lastEventId?: number, key?: string): Promise<Answered> =>
  app.send('GET', `/v1/jobs/${id}/events`, {
    ...(key !== undefined && { key }),
    headers: { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': `${lastEventId}` }) },
  });
const eventsIn = (text: string) =>
  text
    .split('\n\n')
    .filter((part) => part.includes('data: '))
    .map((part) => ({ id: Number(/^id: (\d+)$/m.exec(part)?.[1]), data: JSON.parse(/^data: (.*)$/m.exec(part)![1]!) }));

describe('server-sent events', () => {
  it('tell what there is after the last one seen, and end', async () => {
    using app = await startApp();
    const { id } = await submit(app);
    await app.work();
    const all = await sse(app, id);
    expect(all.headers.get('content-type')).toBe('text/event-stream');
    expect(all.text).toMatch(/^retry: \d+\n/);
    const events = eventsIn(all.text);
    expect(events.map(({ data }) => data.rule)).toEqual(['submit', 'claim', 'succeed']);
    expect(events.map(({ id: version, data }) => data.version === version)).toEqual([true, true, true]);
    expect(eventsIn((await sse(app, id, events[1]!.id)).text)).toEqual(events.slice(2));
    expect((await sse(app, id, events[2]!.id)).status).toBe(204);
    expect(outcome(await sse(app, id, undefined, app.keys.other))).toBe('404 NOT_FOUND');
  });

  it('come as soon as there is one, and are none after the longest wait', async () => {
    using app = await startApp();
    const { id } = await submit(app);
    let sleeps = 0;
    app.clock.onSleep = () => (++sleeps === 2 ? app.work() : undefined);
    expect(eventsIn((await sse(app, id)).text)).toHaveLength(3);
    app.clock.onSleep = () => undefined;
    const late = await submit(app, { delaySeconds: 600 });
    const start = app.clock.now();
    const { status, text } = await sse(app, late.id);
    expect([status, eventsIn(text), app.clock.now() - start]).toEqual([200, [], 25_000]);
  });

  it('end with a gap where what happened was lost, as the list of events does', async () => {
    using app = await startApp();
    const { id } = await submit(app, { delaySeconds: 600 });
    await app.work();
    await app.send('POST', `/v1/jobs/${id}/cancel`, { json: {} });
    const listed = async () => (await app.send('GET', `/v1/jobs/${id}/events`)).body.data;
    await app.clock.sleep(hours(24));
    expect((await listed()).map(({ rule }: { rule: string }) => rule)).toEqual(['submit']);
    await app.clock.sleep(hours(1));
    const [, gap] = await listed();
    const { version } = (await app.send('GET', `/v1/jobs/${id}`)).body;
    expect(gap).toMatchObject({ rule: 'relay.gap', status: 'cancelled', version });
    expect(eventsIn((await sse(app, id)).text).at(-1)?.data).toEqual(gap);
    expect((await sse(app, id, version)).status).toBe(204);
    expect((await app.send('GET', `/v1/jobs/${id}/events?afterVersion=${version}`)).body.data).toEqual([]);
  });

  it('wait for the last event of a job that has just ended, and not for ever', async () => {
    using app = await startApp();
    const { id } = await submit(app, { delaySeconds: 600 });
    await app.send('POST', `/v1/jobs/${id}/cancel`, { json: {} });
    app.clock.onSleep = () => app.work();
    expect(eventsIn((await sse(app, id)).text).at(-1)?.data).toMatchObject({ rule: 'cancel', status: 'cancelled' });
    const silent = await submit(app, { delaySeconds: 600 });
    await app.send('POST', `/v1/jobs/${silent.id}/cancel`, { json: {} });
    app.clock.onSleep = () => undefined;
    await app.clock.sleep(minutes(2));
    expect((await sse(app, silent.id)).status).toBe(204);
  });

  it('say when to come back where all places are taken', async () => {
    using app = await startApp({ watch: { places: createLocalPlaces(0) } });
    const { id } = await submit(app, { delaySeconds: 600 });
    const { status, text } = await sse(app, id);
    expect([status, text.split('\n')[0]]).toEqual([200, 'retry: 5000']);
  });
});

describe('places', () => {
  it('of one process are never more than there are', async () => {
    const places = createLocalPlaces(2);
    const [one] = [await places.take(), await places.take()];
    expect(await places.take()).toBeUndefined();
    await one?.leave();
    expect(await places.take()).toBeDefined();
  });

  it('of all instances are never more than there are, and come free when left or when their time is up', async () => {
    using app = await startApp();
    const parts = { store: app.store, clock: app.clock, chance: seededChance(5) };
    const places = createSharedPlaces(parts, { count: 3, hold: seconds(30) });
    const takeAll = async () => {
      const taken = [];
      for (let tries = 0; tries < 60; tries++) taken.push(await places.take());
      return taken.filter((place) => place !== undefined);
    };
    const first = await takeAll();
    expect(first).toHaveLength(3);
    await first[0]?.leave();
    expect(await takeAll()).toHaveLength(1);
    await app.clock.sleep(millis(30_001));
    await first[1]?.leave();
    expect(await takeAll()).toHaveLength(3);
  });
});
