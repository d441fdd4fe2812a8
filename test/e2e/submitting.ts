import { expect, it } from 'vitest';
import { type Json, outcome } from './client.ts';
import type { World } from './world.ts';

export function submitting(world: World): void {
  const echo = (input: unknown) => ({ kind: 'diagnostic.echo', input });
  const submit = (json: object, headers: Record<string, string> = {}) =>
    world.client.post('/v1/jobs', { json, headers });

  it('is done once for an idempotency key, whoever races', async () => {
    const headers = { 'idempotency-key': `race ${world.run}` };
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(echo('once'), headers)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
    expect(outcome(await submit(echo('twice'), headers))).toBe('422 IDEMPOTENCY_KEY_REUSED');
  });

  it('of a file is done once for an idempotency key, whoever races', async () => {
    const dataset = await world.client.newDataset(`keyed-${world.run}`);
    const upload = (body: string) =>
      world.client.post(`/v1/datasets/${dataset}/files?name=keyed.csv`, {
        body,
        headers: { 'content-type': 'application/octet-stream', 'idempotency-key': `file ${world.run}` },
      });
    const answers = await Promise.all(Array.from({ length: 5 }, () => upload('a\n1\n')));
    expect(new Set(answers.map(({ body, headers }) => `${body.id} ${headers.get('link')}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(4);
    expect(outcome(await upload('a\n2\n'))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    await world.client.ended(answers[0]?.body.id);
    expect((await world.client.query(dataset, 'SELECT * FROM keyed')).body.rows).toEqual([[1]]);
    expect((await upload('a\n1\n')).body).toMatchObject({ id: answers[0]?.body.id, status: 'succeeded' });
  });

  it('answers the job that has the dedup key, or replaces it', async () => {
    const keyed = { ...echo(1), dedupKey: `key ${world.run}`, delaySeconds: 600 };
    const [first, same] = [await submit(keyed), await submit(keyed)];
    expect([same.body.id, same.headers.get('deduplicated')]).toEqual([first.body.id, 'true']);
    const other = await submit({ ...keyed, onDuplicate: 'replace' });
    expect(other.body.id).not.toBe(first.body.id);
    expect((await world.client.get(`/v1/jobs/${first.body.id}`)).body.status).toBe('cancelled');
    await world.client.post(`/v1/jobs/${other.body.id}/cancel`, { json: {} });
  });

  it('takes many jobs at once, each by itself', async () => {
    const jobs = Array.from({ length: 6 }, (_, at) => (at === 3 ? { kind: 'nothing', input: at } : echo(at)));
    const { status, body } = await world.client.post('/v1/jobs/batch', { json: { jobs } });
    expect([status, body.accepted, body.refused]).toEqual([200, 5, 1]);
    expect(body.results[3].problem).toMatchObject({ code: 'UNKNOWN_KIND', errors: [{ pointer: '#/jobs/3/kind' }] });
    const created = body.results.filter(({ status: became }: Json) => became === 'created');
    const ended = await Promise.all(created.map(({ job }: Json) => world.client.ended(job.id)));
    expect(ended.map(({ result }) => result)).toEqual([0, 1, 2, 4, 5]);
    // By their doorbells: the sweep would ring for them after 45 s.
    const waits = ended.map(({ createdAt, startedAt }) => Date.parse(startedAt) - Date.parse(createdAt));
    expect(Math.max(...waits)).toBeLessThan(30_000);
  });

  /** Who decides about a run and who runs it may be two workers side by side: neither starts cold while a time is measured. */
  const warmTwo = () =>
    Promise.all([1, 2].map(() => submit({ kind: 'diagnostic.sleep', input: { seconds: 1 } }, { prefer: 'wait=20' })));

  it('happens by schedule, within a second of each time, and by hand', async () => {
    await warmTwo();
    const path = `/v1/schedules/e2e-${world.run}`;
    const json = { ...echo('tick'), every: 10 };
    expect((await world.client.send('PUT', path, { json })).status).toBe(201);
    const byTime = (schedule: Json) => schedule.runs.filter(({ by }: Json) => by === 'time');
    const schedule = await world.client.until(path, (read) => byTime(read).length >= 2);
    for (const { at, jobId, outcome: became } of byTime(schedule)) {
      expect(became).toBe('started');
      const { startedAt, result } = await world.client.ended(jobId);
      expect(result).toBe('tick');
      expect(Date.parse(startedAt) - Date.parse(at)).toBeGreaterThanOrEqual(0);
      expect(Date.parse(startedAt) - Date.parse(at)).toBeLessThan(1000);
    }
    expect((await world.client.post(`${path}/pause`)).body.state).toBe('paused');
    const run = await world.client.post(`${path}/run`, { headers: { prefer: 'wait=20' } });
    expect(run.body).toMatchObject({ status: 'succeeded', result: 'tick' });
    expect((await world.client.send('DELETE', path)).status).toBe(204);
    expect(outcome(await world.client.get(path))).toBe('404 NOT_FOUND');
  });

  it('by schedule needs a time that comes, and a zone that exists', async () => {
    const put = (json: object) => world.client.send('PUT', '/v1/schedules/wrong', { json: { ...echo(1), ...json } });
    const never = await put({ cron: '0 0 30 2 *' });
    expect([outcome(never), never.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/cron']);
    const nowhere = await put({ cron: '0 0 * * *', timeZone: 'Mars/Olympus' });
    expect([outcome(nowhere), nowhere.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/timeZone']);
  });
}
