import { expect, it } from 'vitest';
import { type Json, outcome } from './client.ts';
import type { World } from './world.ts';

export function jobs(world: World): void {
  const submit = (json: object, headers: Record<string, string> = {}) =>
    world.client.post('/v1/jobs', { json, headers });
  const echo = (input: unknown) => ({ kind: 'diagnostic.echo', input });

  it('answer 202 with a location, and the finished job where the caller waits', async () => {
    const quick = await submit(echo('quick'));
    expect([quick.status, quick.headers.get('location')]).toEqual([202, `/v1/jobs/${quick.body.id}`]);
    expect(quick.headers.get('retry-after')).toBe('1');
    const waited = await submit(echo({ say: 'hello' }), { prefer: 'wait=20' });
    expect([waited.status, waited.headers.get('preference-applied')]).toEqual([200, 'wait=20']);
    expect(waited.body).toMatchObject({ status: 'succeeded', result: { say: 'hello' } });
    expect(await world.client.ended(quick.body.id)).toMatchObject({ status: 'succeeded', result: 'quick' });
  });

  it('answer with inputs and results of any size', async () => {
    const said = 'x'.repeat(300_000);
    const { body } = await submit(echo(said), { prefer: 'wait=20' });
    expect((await world.client.ended(body.id)).result).toBe(said);
  });

  it('are waited for, by whoever follows the redirect, and say at once that they changed', async () => {
    const { body } = await submit({ ...echo(1), delaySeconds: 2 });
    const ended = await world.client.get(`/v1/jobs/${body.id}?wait=25`);
    expect([ended.status, ended.body.status]).toEqual([200, 'succeeded']);
    const late = (await submit({ ...echo(1), delaySeconds: 600 })).body;
    const changed = world.client.get(`/v1/jobs/${late.id}/watch?wait=25&after=${late.version}`);
    await world.client.post(`/v1/jobs/${late.id}/cancel`, { json: {} });
    expect((await changed).body).toMatchObject({ status: 'cancelled' });
  });

  it('stream their events from the last one seen until all are told', async () => {
    const { body } = await submit(echo(1), { prefer: 'wait=20' });
    const told: Json[] = [];
    for (let asked = 0; asked < 10; asked++) {
      const last = told.at(-1)?.version;
      const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': String(last) }) };
      const { status, body: text } = await world.client.get(`/v1/jobs/${body.id}/events`, { headers });
      if (status === 204) break;
      told.push(...[...text.matchAll(/^data: (.*)$/gm)].map(([, json]: string[]) => JSON.parse(json ?? '')));
    }
    expect(told.map(({ rule }) => rule)).toEqual(['submit', 'claim', 'succeed']);
  });

  it('tell their events in order, without a gap', async () => {
    const { body } = await submit(echo(1), { prefer: 'wait=20' });
    const path = `/v1/jobs/${body.id}/events`;
    const rules = (events: Json): string[] => events.data.map(({ rule }: Json) => rule);
    const events = await world.client.until(path, (page) => rules(page).includes('succeed'));
    expect(rules(events)).toEqual(['submit', 'claim', 'succeed']);
    const versions: number[] = events.data.map(({ version }: Json) => version);
    expect(versions.map((version) => version - versions[0]!)).toEqual([0, 1, 2]);
    const after = await world.client.get(`${path}?afterVersion=${versions[1]}`);
    expect(rules(after.body)).toEqual(['succeed']);
  });

  it('are listed by status and kind, a page at a time', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await submit({ ...echo(1), delaySeconds: 3600 })).body.id as string),
    );
    const list = '/v1/jobs?status=queued&kind=diagnostic.echo&limit=2';
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await world.client.get(list + cursor);
      seen.push(...body.data.map(({ id }: Json) => id));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(expect.arrayContaining(ids));
    expect(outcome(await world.client.get('/v1/jobs?cursor=AAAA'))).toBe('422 VALIDATION_FAILED');
    for (const id of ids) {
      const cancelled = await world.client.post(`/v1/jobs/${id}/cancel`, { json: { reason: 'enough' } });
      expect(cancelled.body).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
    }
  });

  it('that run hear of a cancel at their next heartbeat', async () => {
    const { body } = await submit({ kind: 'diagnostic.sleep', input: { seconds: 90 } });
    await world.client.until(`/v1/jobs/${body.id}`, ({ status }) => status === 'running');
    const asked = await world.client.post(`/v1/jobs/${body.id}/cancel`);
    expect(asked.body).toMatchObject({ status: 'running', cancelRequested: expect.any(String) });
    expect(await world.client.ended(body.id)).toMatchObject({ status: 'cancelled' });
  });

  it('that fail for good say why and what to do next', async () => {
    const { body } = await submit({ kind: 'diagnostic.fail', input: { terminal: true } }, { prefer: 'wait=20' });
    const failed = await world.client.ended(body.id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'HANDLER_TERMINAL', next: expect.any(String) } });
  });

  it('need a kind that exists, and an input that fits it', async () => {
    expect(outcome(await submit({ kind: 'nothing', input: 1 }))).toBe('422 UNKNOWN_KIND');
    const unfit = await submit({ kind: 'diagnostic.sleep', input: { seconds: 'long' } });
    expect([outcome(unfit), unfit.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/input/seconds']);
  });

  it('of another tenant are not there', async () => {
    const { body } = await submit(echo(1));
    const { otherTenantKey: key } = world.target;
    for (const answer of [
      await world.client.get(`/v1/jobs/${body.id}`, { key }),
      await world.client.get(`/v1/jobs/${body.id}/events`, { key }),
      await world.client.post(`/v1/jobs/${body.id}/cancel`, { key }),
    ])
      expect(outcome(answer)).toBe('404 NOT_FOUND');
    expect((await world.client.get('/v1/jobs', { key })).body.data).toEqual([]);
  });
}
