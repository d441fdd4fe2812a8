import { describe, expect, it } from 'vitest';
import { days, minutes } from '../../lib/core/time.ts';
import { sweep } from '../../lib/job/sweep/reaper.ts';
import { startIngestApp } from '../support/ingest-app.ts';

const before = 'id,price\n1,2.50\n2,3.00\n';
const broken = 'id,amount\n1,x\n2,y\n';

/** A dataset with one table, under the policy. */
async function withTable(policy: object) {
  const app = await startIngestApp();
  const dataset = await app.dataset('d', { policy });
  await app.upload(dataset, 't.csv', before);
  const columns = async () => (await app.tables(dataset))['t'].columns.map(({ name }: { name: string }) => name);
  const reviews = `/v1/datasets/${dataset}/reviews`;
  return { ...app, dataset, columns, reviews };
}

describe('a snapshot that would break queries', () => {
  it('is published where the policy says nothing', async () => {
    await using app = await withTable({});
    expect(await app.upload(app.dataset, 't.csv', broken)).toMatchObject({ status: 'succeeded' });
    expect(await app.columns()).toEqual(['id', 'amount']);
  });

  it('is refused under a strict policy, naming each change, and leaves nothing behind', async () => {
    await using app = await withTable({ drift: 'strict' });
    const job = await app.upload(app.dataset, 't.csv', broken);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'DRIFT_REFUSED', retriable: false } });
    expect(job.error.detail).toContain('t: The column price is gone.');
    expect(await app.columns()).toEqual(['id', 'price']);
    expect(await app.upload(app.dataset, 't.csv', 'id,price,more\n1,2,3\n')).toMatchObject({
      error: { detail: 't: The column price was DECIMAL(18,2) and is BIGINT.' },
    });
    expect(await app.upload(app.dataset, 't.csv', 'id,price,more\n1,2.125,3\n')).toMatchObject({ status: 'succeeded' });
    expect(await app.columns()).toEqual(['id', 'price', 'more']);
  });

  it('waits under a review policy, shows what it would change, and is published once it is approved', async () => {
    await using app = await withTable({ drift: 'review' });
    const job = await app.upload(app.dataset, 't.csv', broken);
    expect(job).toMatchObject({ status: 'parked', waiting: { reason: 'signal:review' } });
    expect(await app.columns()).toEqual(['id', 'price']);
    const { body } = await app.send('GET', app.reviews);
    expect(body.data).toMatchObject([
      {
        jobId: job.id,
        status: 'waiting',
        tables: [{ name: 't', breaking: ['The column price is gone.'], changes: { added: ['amount'] } }],
      },
    ]);
    const approved = await app.send('POST', `${app.reviews}/${job.id}/approve`, { json: { reason: 'as agreed' } });
    expect(approved.body).toMatchObject({ status: 'approved', reason: 'as agreed' });
    expect(approved.body.decidedBy).toMatch(/^key_/);
    await app.settle();
    expect((await app.send('GET', `/v1/jobs/${job.id}`)).body).toMatchObject({ status: 'succeeded' });
    expect(await app.columns()).toEqual(['id', 'amount']);
    expect((await app.send('POST', `${app.reviews}/${job.id}/reject`)).body.code).toBe('CONFLICT');
    expect((await app.send('GET', `${app.reviews}/${job.id}`)).body.status).toBe('approved');
  });

  it('fails when it is rejected, and nothing of it becomes visible', async () => {
    await using app = await withTable({ drift: 'review' });
    const job = await app.upload(app.dataset, 't.csv', broken);
    await app.send('POST', `${app.reviews}/${job.id}/reject`, { json: { reason: 'wrong file' } });
    await app.settle();
    const { body } = await app.send('GET', `/v1/jobs/${job.id}`);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'DRIFT_REFUSED' } });
    expect(body.error.detail).toContain('wrong file');
    expect(await app.columns()).toEqual(['id', 'price']);
  });

  it('fails when nobody decides in time', async () => {
    await using app = await withTable({ drift: 'review', reviewDays: 1 });
    const job = await app.upload(app.dataset, 't.csv', broken);
    await app.clock.advance(days(1));
    await app.clock.advance(minutes(10));
    await sweep(app.engine);
    await app.settle();
    expect((await app.send('GET', `/v1/jobs/${job.id}`)).body.error).toMatchObject({ code: 'WAIT_TIMED_OUT' });
    expect((await app.send('GET', `${app.reviews}/${job.id}`)).body.status).toBe('timed out');
    expect(await app.columns()).toEqual(['id', 'price']);
  });

  it('does not wait where nothing breaks', async () => {
    await using app = await withTable({ drift: 'review' });
    expect(await app.upload(app.dataset, 't.csv', `${before}3,4.25\n`)).toMatchObject({ status: 'succeeded' });
    expect((await app.send('GET', app.reviews)).body.data).toEqual([]);
    expect((await app.send('POST', `${app.reviews}/job_00000000000000000000000001/approve`)).status).toBe(404);
  });
});
