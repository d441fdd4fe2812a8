import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/core/time.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { type Cloud, openCloud } from './support/cloud.ts';
import { ended, eventsOf, rowThat, rulesOf, submit } from './support/jobs.ts';

const cloud: Cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

describe.concurrent('a simple job on the deployed stack', () => {
  it('goes from HTTP over its row and its doorbell to a worker that settles it, once', async () => {
    const id = await submit(cloud, 'diagnostic.echo', { said: 'hello' });
    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0, epoch: row.createdAt + 1 });
    expect((await cloud.http.get(`/v1/jobs/${id}`)).body).toMatchObject({
      status: 'succeeded',
      result: { said: 'hello' },
    });
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'succeed']);
  });

  it('has events that are numbered without gaps, as HTTP shows them too', async () => {
    const row = await ended(cloud, await submit(cloud, 'diagnostic.echo', null));
    const versions = (await eventsOf(cloud, row)).map(({ version }) => version - row.createdAt);
    expect(versions).toEqual([1, 2, 3]);
    const { body } = await cloud.http.get(`/v1/jobs/${row.id}/events`);
    expect(body.data.map(({ rule, status }: { rule: string; status: string }) => [rule, status])).toEqual([
      ['submit', 'queued'],
      ['claim', 'running'],
      ['succeed', 'succeeded'],
    ]);
  });

  it('keeps an input and a result that are too large for its row', async () => {
    const input = { item: 'x'.repeat(1000), object: 'y'.repeat(100_000) };
    for (const large of Object.values(input)) {
      const id = await submit(cloud, 'diagnostic.echo', large);
      expect(await ended(cloud, id)).toMatchObject({ status: 'succeeded' });
      expect((await cloud.http.get(`/v1/jobs/${id}`)).body.result).toBe(large);
    }
  });

  it('is cancelled at once while it waits, and never starts', async () => {
    const id = await submit(cloud, 'diagnostic.echo', null, { delaySeconds: 3 });
    const { body } = await cloud.http.post(`/v1/jobs/${id}/cancel`, { json: { reason: 'not needed' } });
    expect(body).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED', detail: 'not needed' } });
    const asked = systemClock.now();
    const later = await ended(cloud, await submit(cloud, 'diagnostic.echo', null, { delaySeconds: 3 }));
    expect(later.startedAt ?? 0).toBeGreaterThanOrEqual(asked + 3000);
    expect(await rulesOf(cloud, await cloud.row(id))).toEqual(['submit', 'cancel']);
  });

  it('that fails for good is failed at its first attempt', async () => {
    const row = await ended(cloud, await submit(cloud, 'diagnostic.fail', { terminal: true }));
    expect(row).toMatchObject({ status: 'failed', error: { retriable: false } });
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'fail']);
  });

  it('that fails does not start again before its backoff is over', async () => {
    const id = await submit(cloud, 'diagnostic.fail', { times: 1, retryAfterSeconds: 3 });
    const isBack = ({ status, attempts }: JobRow) => status === 'queued' && attempts === 1;
    const { notBefore = 0, dueAt = 0 } = await rowThat(cloud, id, 'queued again', isBack, { everyMs: 20 });
    expect(dueAt).toBeGreaterThan(notBefore);
    const row = await ended(cloud, id);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 1, crashes: 0 });
    expect(row.startedAt).toBeGreaterThanOrEqual(notBefore);
    expect(await rulesOf(cloud, row)).toEqual(['submit', 'claim', 'retry', 'claim', 'succeed']);
  });
});
