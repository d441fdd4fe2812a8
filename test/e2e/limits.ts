import { expect, it } from 'vitest';
import type { Json } from './client.ts';
import type { World } from './world.ts';

/** What a job must pass before it runs: places under a key, rates, flows and guards. */
export function limits(world: World): void {
  const submit = async (json: object): Promise<Json> =>
    (await world.client.post('/v1/jobs', { json: { kind: 'diagnostic.echo', input: 1, ...json } })).body;
  const flow = (name: string, verb: string) => world.client.post(`/v1/flows/${name}/${verb}`, { json: {} });
  const parked = (job: Json) => world.client.until(`/v1/jobs/${job.id}`, ({ status }) => status === 'parked');

  it('run no more jobs of a key at once than it allows, and all of them in the end', async () => {
    const concurrencyKey = { key: `places-${world.run}`, limit: 1 };
    const sleep = { kind: 'diagnostic.sleep', input: { seconds: 0.5 }, concurrencyKey };
    const jobs = await Promise.all([1, 2, 3, 4].map(() => submit(sleep)));
    const ended = await Promise.all(jobs.map(({ id }) => world.client.ended(id)));
    expect(ended.map(({ status, attempts }) => [status, attempts])).toEqual(jobs.map(() => ['succeeded', 0]));
    const spans = ended
      .map(({ startedAt, finishedAt }) => [Date.parse(startedAt), Date.parse(finishedAt)] as const)
      .sort(([a], [b]) => a - b);
    for (const [at, [start]] of spans.entries()) expect(start).toBeGreaterThanOrEqual(spans[at - 1]?.[1] ?? 0);
  });

  it('start jobs of a key no more often than its rate, each at its turn', async () => {
    const rate = { key: `rate-${world.run}`, perMinute: 30 };
    const jobs = await Promise.all([1, 2, 3].map(() => submit({ rate })));
    const ended = await Promise.all(jobs.map(({ id }) => world.client.ended(id)));
    const starts = ended.map(({ startedAt }) => Date.parse(startedAt)).sort((a, b) => a - b);
    expect(starts[2]! - starts[0]!).toBeGreaterThanOrEqual(3900);
  });

  it('hold the jobs of a paused flow, one step at a time, until it is resumed', async () => {
    const name = `flow-${world.run}`;
    expect((await flow(name, 'pause')).body).toMatchObject({ flow: name, state: 'paused', steps: 0 });
    const jobs = [await submit({ flow: name }), await submit({ flow: name })];
    const waiting = await Promise.all(jobs.map(parked));
    expect(waiting.map((job) => job.waiting.reason)).toEqual([`flow:${name}`, `flow:${name}`]);
    await world.client.until(`/v1/flows/${name}`, (body) => body.parked === 2);
    await flow(name, 'step');
    await world.client.until(`/v1/flows/${name}`, (body) => body.parked === 1 && body.steps === 0);
    const statuses = await Promise.all(
      jobs.map(async ({ id }) => (await world.client.get(`/v1/jobs/${id}`)).body.status),
    );
    expect(statuses.filter((status) => status === 'parked')).toHaveLength(1);
    expect((await flow(name, 'resume')).body.state).toBe('active');
    for (const { id } of jobs) expect((await world.client.ended(id)).status).toBe('succeeded');
    const { body } = await world.client.get('/v1/flows?limit=100');
    expect(body.data.map((each: Json) => each.flow)).toContain(name);
  });

  it('drop what waits for a flow that is disabled, and refuse what names it', async () => {
    const name = `off-${world.run}`;
    await flow(name, 'pause');
    const job = await submit({ flow: name });
    await parked(job);
    await flow(name, 'disable');
    expect(await world.client.ended(job.id)).toMatchObject({ status: 'cancelled', error: { code: 'DROPPED' } });
    expect(await submit({ flow: name })).toMatchObject({ status: 409, code: 'FLOW_DISABLED' });
    expect((await flow(name, 'step')).body.code).toBe('CONFLICT');
    expect((await flow(name, 'enable')).body.state).toBe('active');
    expect((await world.client.ended((await submit({ flow: name })).id)).status).toBe('succeeded');
  });

  it('drop delayed work whose guard has moved on meanwhile', async () => {
    const key = `guard-${world.run}`;
    const put = (value: string) => world.client.send('PUT', `/v1/guards/${key}`, { json: { value } });
    await put('one');
    const late = await submit({ guard: { key, value: 'one' }, delaySeconds: 3 });
    expect((await put('two')).body).toMatchObject({ key, value: 'two' });
    expect((await world.client.get(`/v1/guards/${key}`)).body.value).toBe('two');
    expect(await world.client.ended(late.id)).toMatchObject({ status: 'cancelled', error: { code: 'DROPPED' } });
  });

  it('do not keep a due job behind the bulk jobs that were there before it', async () => {
    const bulk = { jobs: Array.from({ length: 60 }, () => ({ kind: 'diagnostic.echo', input: 1 })) };
    const overtakers = async () => {
      const { body } = await world.client.post('/v1/jobs/batch', { json: bulk });
      const due = await world.client.ended((await submit({ lane: 'due' })).id);
      const ended: Json[] = [];
      for (const { job } of body.results) ended.push(await world.client.ended(job.id));
      return ended.filter(({ startedAt }) => startedAt > due.createdAt && startedAt < due.startedAt).length;
    };
    // A cold start is no wait for others: the first round starts as many workers as the second one needs.
    await overtakers();
    expect(await overtakers()).toBeLessThan(30);
  });

  it('are refused where they are none, with the place of each', async () => {
    const asked = [
      { concurrencyKey: { key: 'k', limit: 0 } },
      { concurrencyKey: { key: 'k', limit: 1e9 } },
      { concurrencyKey: { key: 'x'.repeat(10_000), limit: 1 } },
      { concurrencyKey: { key: 'tenant:other', limit: 1 } },
      { rate: { key: 'k', perMinute: 0.5 } },
      { flow: '' },
    ];
    for (const each of asked) {
      const problem = await submit(each);
      expect([problem.status, problem.code], JSON.stringify(each).slice(0, 60)).toEqual([422, 'VALIDATION_FAILED']);
      expect(problem.errors[0].pointer).toMatch(new RegExp(`^#/${Object.keys(each)[0] ?? ''}`));
    }
    expect((await flow(`unknown-${world.run}`, 'resume')).status).toBe(404);
  });
}
