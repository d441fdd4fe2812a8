import { expect, it } from 'vitest';
import { type Json, outcome } from './client.ts';
import type { World } from './world.ts';

export function dead(world: World): void {
  const fail = async (): Promise<string> => {
    const json = { kind: 'diagnostic.fail', input: { terminal: true } };
    const { body } = await world.client.post('/v1/jobs', { json, headers: { prefer: 'wait=20' } });
    expect(await world.client.ended(body.id)).toMatchObject({ status: 'failed' });
    return body.id;
  };
  const groupOf = (id: string, page: Json) => page.data.find(({ sample }: Json) => sample.includes(id));

  it('letters are counted by cause until they are redriven with another input', async () => {
    const id = await fail();
    const groups = await world.client.until('/v1/dead/groups', (page) => groupOf(id, page) !== undefined);
    const { fingerprint, count } = groupOf(id, groups);
    const { body: jobs } = await world.client.get(`/v1/dead/groups/${fingerprint}/jobs`);
    expect(jobs.data.map((job: Json) => job.id)).toContain(id);
    expect(count).toBeGreaterThanOrEqual(jobs.data.length);
    const json = { input: { times: 1, retryAfterSeconds: 0 }, reason: 'e2e' };
    expect((await world.client.post(`/v1/jobs/${id}/redrive`, { json })).body).toMatchObject({ redrives: 1 });
    expect(await world.client.ended(id)).toMatchObject({ status: 'succeeded', result: { attempt: 2 } });
    await world.client.until(`/v1/dead/groups/${fingerprint}/jobs`, (page) =>
      page.data.every((job: Json) => job.id !== id),
    );
  });

  it('letters are redriven and discarded many at once, after a look at which they are', async () => {
    const ids = [await fail(), await fail()];
    const many = (verb: string, more: object = {}) =>
      world.client.post(`/v1/dead/${verb}`, { json: { filter: { ids }, ...more } });
    expect((await many('redrive', { dryRun: true })).body).toMatchObject({ matched: 2, complete: true, dryRun: true });
    expect((await many('redrive', { ratePerSecond: 10 })).body).toMatchObject({ done: 2, skipped: [] });
    for (const id of ids) expect(await world.client.ended(id)).toMatchObject({ status: 'failed', redrives: 1 });
    expect((await many('discard')).body).toMatchObject({ done: 2 });
    const { data } = (await world.client.get('/v1/dead?limit=100')).body;
    expect(data.map(({ id }: Json) => id).filter((id: string) => ids.includes(id))).toEqual([]);
  });

  it('workers lose the job that an operator reclaims, and another one runs it', async () => {
    const json = { kind: 'diagnostic.sleep', input: { seconds: 600 } };
    const { id } = (await world.client.post('/v1/jobs', { json })).body;
    await world.client.until(`/v1/jobs/${id}`, ({ status }) => status === 'running');
    expect((await world.client.post(`/v1/jobs/${id}/reclaim`)).body).toMatchObject({ crashes: 1 });
    await world.client.until(`/v1/jobs/${id}`, ({ status, crashes }) => status === 'running' && crashes === 1);
    const cancelled = await world.client.post('/v1/jobs/cancel', { json: { filter: { ids: [id] } } });
    expect(cancelled.body).toMatchObject({ matched: 1, done: 1 });
    expect(await world.client.ended(id)).toMatchObject({ status: 'cancelled' });
    expect(outcome(await world.client.post(`/v1/jobs/${id}/reclaim`))).toBe('409 CONFLICT');
  });

  it('nothing is lost, and nothing is behind', async () => {
    const lost = ({ classes }: Json) => classes.flatMap(({ jobs }: Json) => jobs);
    const orphans = await world.client.until('/v1/orphans', (page) => lost(page).length === 0);
    expect([orphans.complete, orphans.classes.length]).toEqual([true, 8]);
    expect((await world.client.get('/v1/health/backlog')).body).toMatchObject({ status: 'ok' });
  });
}
