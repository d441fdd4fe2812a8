// Requests about jobs that no caller should send: each is refused with a code and a pointer, or has a defined outcome; none is a 5xx.
import { expect, it } from 'vitest';
import { type Json, outcome } from './client.ts';
import type { World } from './world.ts';

const echo = { kind: 'diagnostic.echo', input: 1 };
const long = 'k'.repeat(10_000);

/** What is sent, and the place that the answer points to. */
const unfit: readonly (readonly [string, object, string])[] = [
  ['a field that is not known', { ...echo, unknown: 1 }, '#/unknown'],
  ['no kind', { input: 1 }, '#/kind'],
  ['a kind of 10,000 characters', { ...echo, kind: long }, '#/kind'],
  ['an input that does not fit', { kind: 'diagnostic.sleep', input: { seconds: -1 } }, '#/input/seconds'],
  ['an input with an unknown field', { kind: 'diagnostic.sleep', input: { seconds: 1, more: 1 } }, '#/input/more'],
  ['a negative delay', { ...echo, delaySeconds: -1 }, '#/delaySeconds'],
  ['half a second of delay', { ...echo, delaySeconds: 0.5 }, '#/delaySeconds'],
  ['a delay of 10^9 seconds', { ...echo, delaySeconds: 1e9 }, '#/delaySeconds'],
  ['a delay that is no number', { ...echo, delaySeconds: '5' }, '#/delaySeconds'],
  ['a start in the year 9999', { ...echo, notBefore: '9999-12-31T23:59:59Z' }, '#/notBefore'],
  ['a start on 30 February', { ...echo, notBefore: '2026-02-30T00:00:00Z' }, '#/notBefore'],
  ['a start that is no date', { ...echo, notBefore: 'tomorrow' }, '#/notBefore'],
  ['a start as a number', { ...echo, notBefore: 1_700_000_000_000 }, '#/notBefore'],
  ['a start and a delay', { ...echo, notBefore: '2026-01-01T00:00:00Z', delaySeconds: 1 }, '#/delaySeconds'],
  ['a latest start in 1970', { ...echo, startBy: '1970-01-01T00:00:00Z' }, '#/startBy'],
  ['a latest start in the year 9999', { ...echo, startBy: '9999-12-31T23:59:59Z' }, '#/startBy'],
  ['a flow that no path can name', { ...echo, flow: 'a/b' }, '#/flow'],
  ['a lane that is none', { ...echo, lane: 'fast' }, '#/lane'],
  ['a dedupKey of 10,000 characters', { ...echo, dedupKey: long }, '#/dedupKey'],
  ['a dedupKey that is empty', { ...echo, dedupKey: '' }, '#/dedupKey'],
  ['a dedupKey with a line break', { ...echo, dedupKey: 'a\nb' }, '#/dedupKey'],
  ['a parent that is no job', { ...echo, parentId: 'me' }, '#/parentId'],
  ['a parent that is not there', { ...echo, parentId: `job_${'0'.repeat(26)}` }, '#/parentId'],
];

const lists = ['limit=0', 'limit=-1', 'limit=1000000000', 'limit=1.5', 'limit=x', `kind=${long}`, `cursor=${long}`];
const filters = ['status=gone', 'unknown=1', 'since=yesterday', 'since=9999-99-99T00:00:00Z', 'attemptsGte=1e9'];

export function badRequests(world: World): void {
  const submit = (json: object, headers: Record<string, string> = {}) =>
    world.client.post('/v1/jobs', { json, headers });

  it.each(unfit)('a submit with %s is told where it is wrong', async (_what, json, pointer) => {
    const answer = await submit(json);
    expect(outcome(answer)).toBe('422 VALIDATION_FAILED');
    expect(answer.body.errors.map((error: Json) => error.pointer)).toContain(pointer);
  });

  it.each([...lists, ...filters])('a list with %s is refused', async (query) => {
    expect(outcome(await world.client.get(`/v1/jobs?${query}`))).toBe('422 VALIDATION_FAILED');
  });

  it('a start in 1970 is a start at once', async () => {
    const { body } = await submit({ ...echo, notBefore: '1970-01-01T00:00:00Z' });
    expect(await world.client.ended(body.id)).toMatchObject({ status: 'succeeded', result: 1 });
  });

  it('a body that is no object, or no JSON at all, is refused', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const body of ['null', '[]', '1', '"text"'])
      expect([body, outcome(await world.client.post('/v1/jobs', { body, headers }))]).toEqual([
        body,
        '422 VALIDATION_FAILED',
      ]);
    for (const body of ['{', '{"kind":', 'kind=diagnostic.echo', '\u0000'])
      expect(outcome(await world.client.post('/v1/jobs', { body, headers }))).toBe('400 MALFORMED_JSON');
  });

  it('a body beyond the limit is refused before it is read, and one nested a hundred thousand deep is no 5xx', async () => {
    const headers = { 'content-type': 'application/json' };
    const large = `{"kind":"diagnostic.echo","input":"${'x'.repeat(6_000_000)}"}`;
    const { status } = await world.client.post('/v1/jobs', { body: large, headers });
    expect(status).toBe(413);
    const deep = `{"kind":"diagnostic.echo","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const answer = await world.client.post('/v1/jobs', { body: deep, headers });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  it('an Idempotency-Key of 10,000 characters is refused', async () => {
    const answer = await submit(echo, { 'idempotency-key': long });
    expect([400, 422, 431]).toContain(answer.status);
  });

  it('a cancel with a reason of 10,000 characters is refused, and one of a job that has no such id is not found', async () => {
    const { body } = await submit({ ...echo, delaySeconds: 3600 });
    const cancel = (id: string, json?: object) =>
      world.client.post(`/v1/jobs/${id}/cancel`, json === undefined ? {} : { json });
    expect(outcome(await cancel(body.id, { reason: long }))).toBe('422 VALIDATION_FAILED');
    expect(outcome(await cancel(body.id, { reason: 7 }))).toBe('422 VALIDATION_FAILED');
    for (const id of ['nonsense', `job_${'0'.repeat(26)}`, long]) expect(outcome(await cancel(id))).toMatch(/^4/);
    expect(outcome(await cancel(body.id))).toBe('200');
  });
}
