import { describe, expect, it } from 'vitest';
import type { JobId, TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { minutes } from '../../../lib/core/time.ts';
import { type Ring, StoreUnavailable } from '../../../lib/job/ports.ts';
import { type Answered, type Json, outcome, startApp } from './harness.ts';

type App = Awaited<ReturnType<typeof startApp>>;
const echo = { kind: 'echo', input: { say: 'hello' } };
const submit = (app: App, json: object, key?: string): Promise<Answered> =>
  app.send('POST', '/v1/jobs', { json, ...(key !== undefined && { headers: { 'idempotency-key': key } }) });
const batch = (app: App, jobs: readonly unknown[], key?: string): Promise<Answered> =>
  app.send('POST', '/v1/jobs/batch', {
    json: { jobs },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const rowOf = (app: App, id: string) =>
  app.store.get({ tenant: 't1' as TenantId, workspace: 'main' as WorkspaceId, id: id as JobId });
const pointers = ({ body }: Answered) => body.errors.map(({ pointer }: Json) => pointer);
const countJobs = async (app: App) => (await app.send('GET', '/v1/jobs?limit=100')).body.data.length;

describe('an idempotency key', () => {
  it('makes one job of fifty equal requests at once', async () => {
    using app = await startApp();
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit(app, echo, 'order 1')));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(49);
    expect([await countJobs(app), app.rung.length]).toEqual([1, 1]);
  });

  it('answers the same job to the same body in another order, also once it has ended', async () => {
    using app = await startApp();
    const first = await submit(app, { ...echo, lane: 'due' }, 'k');
    await app.work();
    const again = await submit(app, { lane: 'due', input: echo.input, kind: 'echo' }, 'k');
    expect(again.body).toMatchObject({ id: first.body.id, status: 'succeeded' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('refuses another body, and names the job', async () => {
    using app = await startApp();
    const { body } = await submit(app, echo, 'k');
    for (const other of [
      { ...echo, input: { say: 'bye' } },
      { ...echo, delaySeconds: 0 },
      { ...echo, input: {} },
    ]) {
      const answer = await submit(app, other, 'k');
      expect([outcome(answer), answer.body.jobId]).toEqual(['422 IDEMPOTENCY_KEY_REUSED', body.id]);
    }
  });

  it('counts in its workspace alone', async () => {
    using app = await startApp();
    const headers = { 'idempotency-key': 'k' };
    const [own, other] = await Promise.all(
      [app.keys.own, app.keys.other].map((key) => app.send('POST', '/v1/jobs', { json: echo, key, headers })),
    );
    expect(own?.body.id).not.toBe(other?.body.id);
  });

  it('answers a repeated request whose times have passed since', async () => {
    using app = await startApp();
    const timed = { ...echo, startBy: '2026-01-01T00:05:00Z' };
    const first = await submit(app, timed, 'k');
    await app.clock.sleep(minutes(10));
    expect((await submit(app, timed, 'k')).body.id).toBe(first.body.id);
    expect(outcome(await submit(app, timed, 'another'))).toBe('422 VALIDATION_FAILED');
  });

  it('is 1 to 255 printable characters', async () => {
    using app = await startApp();
    for (const key of ['', 'x'.repeat(256), 'x'.repeat(10_000), 'ümlaut', 'tab\tinside']) {
      const answer = await submit(app, echo, key);
      expect([outcome(answer), ...pointers(answer)]).toEqual(['422 VALIDATION_FAILED', '#/headers/Idempotency-Key']);
    }
    expect((await submit(app, echo, 'x'.repeat(255))).status).toBe(202);
  });
});

describe('a dedup key', () => {
  const keyed = { ...echo, dedupKey: 'invoice/7' };

  it('answers the job that has it until that one has ended', async () => {
    using app = await startApp();
    const first = await submit(app, keyed);
    const again = await submit(app, { ...keyed, input: { say: 'again' } });
    expect([again.status, again.body.id, again.headers.get('deduplicated')]).toEqual([202, first.body.id, 'true']);
    await app.work();
    const next = await submit(app, keyed);
    expect([next.headers.get('deduplicated'), next.body.id === first.body.id]).toEqual([null, false]);
  });

  it('replaces a job that waits, and no job that runs', async () => {
    using app = await startApp();
    const first = await submit(app, keyed);
    const second = await submit(app, { ...keyed, onDuplicate: 'replace' });
    expect(second.body.id).not.toBe(first.body.id);
    const replaced = (await app.send('GET', `/v1/jobs/${first.body.id}`)).body;
    expect(replaced).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
    expect(replaced.error.detail).toContain(second.body.id);
    const row = (await rowOf(app, second.body.id))!;
    const now = app.clock.now();
    const owner = 'own_1' as never;
    const leaseUntil = (now + 45_000) as never;
    const claim = {
      owner,
      leaseUntil,
      now,
      heldBy: 'worker',
      epoch: row.epoch,
      dueAt: leaseUntil,
      writeId: 'w' as never,
    } as const;
    expect((await app.store.write(row, 'claim', claim)).kind).toBe('applied');
    const third = await submit(app, { ...keyed, onDuplicate: 'replace' });
    expect([outcome(third), third.body.jobId]).toEqual(['409 DEDUP_KEY_HELD', second.body.id]);
  });

  it('goes together with an idempotency key', async () => {
    using app = await startApp();
    const first = await submit(app, keyed, 'k');
    const again = await submit(app, keyed, 'k');
    expect([again.body.id, again.headers.get('idempotent-replayed')]).toEqual([first.body.id, 'true']);
    expect((await submit(app, keyed, 'other')).headers.get('deduplicated')).toBe('true');
  });

  it('is text that a key may hold, and onDuplicate needs one', async () => {
    using app = await startApp();
    for (const dedupKey of ['', 'x'.repeat(10_000), 'a\u0000b', '\ud800'])
      expect(pointers(await submit(app, { ...echo, dedupKey }))).toEqual(['#/dedupKey']);
    expect(pointers(await submit(app, { ...echo, onDuplicate: 'keep' }))).toEqual(['#/onDuplicate']);
    expect((await submit(app, { ...echo, dedupKey: '#%'.repeat(127) })).status).toBe(202);
  });
});

describe('what is asked of a job', () => {
  it('is named by a pointer where it is wrong, and refused where it is unknown', async () => {
    using app = await startApp();
    const wrong: readonly (readonly [object, string])[] = [
      [{ kind: 'nothing' }, '#/kind'],
      [{ input: { say: 1 } }, '#/input/say'],
      [{ startBy: '2025-12-31T23:59:59Z' }, '#/startBy'],
      [{ delaySeconds: 60, startBy: '2026-01-01T00:01:00Z' }, '#/startBy'],
      [{ startBy: '9999-01-01T00:00:00Z' }, '#/startBy'],
      [{ notBefore: '2027-01-01T00:00:01Z' }, '#/notBefore'],
      [{ lane: 'fast' }, '#/lane'],
      [{ parentId: 'job_00000000000000000000000000' }, '#/parentId'],
      [{ parentId: 'x' }, '#/parentId'],
    ];
    for (const [field, pointer] of wrong) {
      const answer = await submit(app, { ...echo, ...field });
      expect([answer.status, pointers(answer)]).toEqual([422, [pointer]]);
    }
    const unknown = await submit(app, { ...echo, priority: 3, 'a/b': 1, input: { say: 'x', loud: true } });
    expect(pointers(unknown)).toEqual(['#/priority', '#/a~1b']);
    expect(pointers(await submit(app, { ...echo, input: { say: 'x', loud: true } }))).toEqual(['#/input/loud']);
  });

  it('is said to be missing where it is not there, in a query too often where it is there twice', async () => {
    using app = await startApp();
    const missing = (pointer: string) => ({ pointer, detail: 'It is missing.' });
    expect((await submit(app, {})).body.errors).toEqual([missing('#/kind'), missing('#/input')]);
    expect((await submit(app, { kind: 'echo', input: {} })).body.errors).toEqual([missing('#/input/say')]);
    const { body } = await app.send('GET', '/v1/jobs?limit=1&limit=2&status=dead&status=failed');
    const twice = (pointer: string) => ({ pointer, detail: 'It is given more than once.' });
    expect(body.errors).toEqual([twice('#/query/limit'), twice('#/query/status')]);
    const job = (await submit(app, echo)).body.id as string;
    const headers = { 'content-type': 'application/json' };
    const cancelled = await app.send('POST', `/v1/jobs/${job}/cancel`, { body: 'null', headers });
    expect(outcome(cancelled)).toBe('422 VALIDATION_FAILED');
  });

  it('may name a time on any clock, and one that is past is now', async () => {
    using app = await startApp();
    const later = await submit(app, { ...echo, notBefore: '2026-01-01T03:00:00+02:00' });
    expect(later.body.notBefore).toBe('2026-01-01T01:00:00.000Z');
    const past = await submit(app, { ...echo, notBefore: '2020-01-01T00:00:00Z' });
    expect([past.status, past.body.notBefore, past.body.waiting.reason]).toEqual([202, undefined, 'worker']);
    expect((await submit(app, { ...echo, notBefore: '2026-01-01T03:00:00' })).body.detail).toContain('with a zone');
  });

  it('may name a flow and a guard only so that a path can', async () => {
    using app = await startApp();
    for (const name of ['a/b', 'a\\b', 'a?b', 'a#b', '100%', '.', '..']) {
      expect(pointers(await submit(app, { ...echo, flow: name }))).toEqual(['#/flow']);
      expect(pointers(await submit(app, { ...echo, guard: { key: name, value: '1' } }))).toEqual(['#/guard/key']);
    }
    expect((await submit(app, { ...echo, flow: 'nightly: EU & 日本' })).status).toBe(202);
    const paused = await app.send('POST', `/v1/flows/${encodeURIComponent('nightly: EU & 日本')}/pause`);
    expect(paused.body).toMatchObject({ flow: 'nightly: EU & 日本', state: 'paused' });
  });

  it('is kept in the row', async () => {
    using app = await startApp();
    const parent = await submit(app, echo);
    const times = { notBefore: '2026-01-01T01:00:00Z', startBy: '2026-01-01T02:00:00Z' };
    const { body } = await submit(app, { ...echo, ...times, lane: 'due', parentId: parent.body.id });
    expect(await rowOf(app, body.id)).toMatchObject({
      lane: 'due',
      parentId: parent.body.id,
      notBefore: Date.parse(times.notBefore),
      startBy: Date.parse(times.startBy),
    });
  });

  it('may have an input on either side of each place that inputs are kept in', async () => {
    using app = await startApp();
    const kept: string[] = [];
    const frame = JSON.stringify({ say: '' }).length;
    for (const size of [400, 401, 65_536, 65_537, 1_000_000]) {
      const say = 'x'.repeat(size - frame);
      const { body } = await submit(app, { kind: 'echo', input: { say } });
      kept.push(Object.keys((await rowOf(app, body.id))?.input ?? {})[0] ?? 'nothing');
      await app.work();
      expect((await app.send('GET', `/v1/jobs/${body.id}`)).body.result.say).toBe(say);
    }
    expect(kept).toEqual(['inline', 'item', 'item', 'object', 'object']);
    expect(outcome(await submit(app, { kind: 'echo', input: { say: 'x'.repeat(2 ** 20) } }))).toBe(
      '413 BODY_TOO_LARGE',
    );
  });
});

describe('a batch', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ kind: 'echo', input: { say: `${at}` } }));

  it('creates each of its jobs, and rings for all of them at once', async () => {
    const calls: (readonly Ring[])[] = [];
    const ringMany = async (rings: readonly Ring[]) => {
      calls.push(rings);
      return [];
    };
    using app = await startApp({ ringer: { ring: async () => undefined, isIdle: async () => true, ringMany } });
    const { status, body } = await batch(app, many(100));
    expect([status, body.accepted, body.refused]).toEqual([200, 100, 0]);
    const ids = body.results.map(({ job }: Json) => job.id);
    expect(new Set(ids).size).toBe(100);
    expect(calls.map((rings) => rings.map(({ bell }) => bell.ref.id))).toEqual([ids]);
    expect((await rowOf(app, ids[41]))?.input).toEqual({ inline: '{"say":"41"}' });
  });

  it('refuses what is wrong with it, each by itself and by its pointer', async () => {
    using app = await startApp();
    const { status, body } = await batch(app, [
      echo,
      { ...echo, input: { say: 1 } },
      { ...echo, notBefore: '2028-01-01T00:00:00Z' },
      { kind: 'sweep', input: 1 },
      'nonsense',
      { ...echo, unknown: 1 },
      { ...echo, idempotencyKey: '' },
      { ...echo, dedupKey: 'k' },
      { ...echo, dedupKey: 'k', onDuplicate: 'keep' },
    ]);
    expect([status, body.accepted, body.refused]).toEqual([200, 3, 6]);
    const told = body.results.map(({ status: became, problem }: Json) =>
      [became, problem?.code, problem?.errors?.[0]?.pointer].filter(Boolean).join(' '),
    );
    expect(told).toEqual([
      'created',
      'refused VALIDATION_FAILED #/jobs/1/input/say',
      'refused VALIDATION_FAILED #/jobs/2/notBefore',
      'refused UNKNOWN_KIND #/jobs/3/kind',
      'refused VALIDATION_FAILED #/jobs/4',
      'refused VALIDATION_FAILED #/jobs/5/unknown',
      'refused VALIDATION_FAILED #/jobs/6/idempotencyKey',
      'created',
      'duplicate',
    ]);
    expect(body.results[8].job.id).toBe(body.results[7].job.id);
  });

  it('may be sent again under a key, whole or item by item', async () => {
    using app = await startApp();
    const jobs = [echo, { ...echo, idempotencyKey: 'own' }];
    const first = await batch(app, jobs, 'all');
    const again = await batch(app, jobs, 'all');
    const became = ({ body }: Answered) => body.results.map(({ status, job }: Json) => [status, job?.id]);
    expect(became(again)).toEqual(became(first).map(([, id]: [string, string]) => ['replayed', id]));
    expect((await submit(app, echo, 'own')).body.id).toBe(first.body.results[1].job.id);
    const other = await batch(app, [{ ...echo, input: { say: 'x' } }, echo], 'all');
    expect(other.body.results[0].problem.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await countJobs(app)).toBe(3);
  });

  it('holds one to a hundred jobs', async () => {
    using app = await startApp();
    for (const jobs of [[], many(101)]) expect(outcome(await batch(app, jobs))).toBe('422 VALIDATION_FAILED');
    expect(outcome(await app.send('POST', '/v1/jobs/batch', { json: { jobs: 1 } }))).toBe('422 VALIDATION_FAILED');
  });

  it('tells which of its jobs the store did not take', async () => {
    using app = await startApp();
    const { submit: real } = app.store;
    let calls = 0;
    app.deps.store.submit = async (...given) => {
      calls += 1;
      if (calls > 2) throw new StoreUnavailable('down');
      return real(...given);
    };
    const { body } = await batch(app, many(4));
    expect(body.results.map(({ status, problem }: Json) => problem?.code ?? status)).toEqual([
      'created',
      'created',
      'UNAVAILABLE',
      'UNAVAILABLE',
    ]);
  });
});
