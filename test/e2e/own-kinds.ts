import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Json, outcome } from './client.ts';
import type { World } from './world.ts';

const orders = [
  'date,product,amount',
  '2026-01-03,tea,4.50',
  '2026-02-11,cups,12.00',
  '2026-01-29,pots,29.95',
  '2026-02-12,tea,4.50',
  '',
].join('\n');

/** The kinds of examples/, which every place of the suite was started or deployed with. */
export function ownKinds(world: World): void {
  const run = async (kind: string, input: unknown): Promise<Json> => {
    const answer = await world.client.post('/v1/jobs', { json: { kind, input }, headers: { prefer: 'wait=20' } });
    return answer.status === 202 ? world.client.ended(answer.body.id) : answer.body;
  };

  it('run in a function of their own, and read what was uploaded', async () => {
    const dataset = await world.client.newDataset(`orders-${world.run}`);
    const uploaded = await world.client.post(`/v1/datasets/${dataset}/files?name=orders.csv`, { body: orders });
    const [, file] = /files\/(file_\w+)>; rel="item"/.exec(uploaded.headers.get('link') ?? '') ?? [];
    const job = await run('report.monthly', { dataset, file });
    expect(job).toMatchObject({
      status: 'succeeded',
      result: { orders: 4, months: { '2026-01': '34.45', '2026-02': '16.50' } },
    });
    expect(job.result.report).toMatch(new RegExp(`/jobs/${job.id}/\\d+/report\\.md$`));
    const missing = await run('report.monthly', { dataset, file: `file_${'0'.repeat(26)}` });
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'HANDLER_TERMINAL' } });
  });

  it('run side by side where they are heard in batches', async () => {
    const texts = Array.from({ length: 12 }, (_, number) => `text ${number} of ${world.run}`);
    const submitted = await Promise.all(
      texts.map((text) => world.client.post('/v1/jobs', { json: { kind: 'text.fingerprint', input: { text } } })),
    );
    const jobs: Json[] = await Promise.all(submitted.map(({ body }) => world.client.ended(body.id)));
    expect(jobs.map(({ status, result }) => [status, result.sha256])).toEqual(
      texts.map((text) => ['succeeded', createHash('sha256').update(text).digest('hex')]),
    );
  });

  it('wait for a person in the middle of a pipeline, and go on with what was decided', async () => {
    const buy = async (): Promise<string> => {
      const input = { item: `desks ${world.run}`, pieces: 4, centsEach: 25_000 };
      const { body } = await world.client.post('/v1/jobs', { json: { kind: 'purchase', input } });
      await world.client.until(`/v1/jobs/${body.id}`, ({ status }) => status === 'parked');
      return body.id;
    };
    const tell = (id: string, payload: object) =>
      world.client.post(`/v1/jobs/${id}/signal`, { json: { name: 'approval', payload } });
    const [approved, refused] = await Promise.all([buy(), buy()]);
    expect((await world.client.get(`/v1/jobs/${approved}`)).body).toMatchObject({ stage: 'price' });
    expect((await tell(approved, { approve: true, by: 'Ada' })).status).toBe(200);
    expect((await tell(refused, { approve: false, by: 'Grace' })).status).toBe(200);
    expect(await world.client.ended(approved)).toMatchObject({
      status: 'succeeded',
      attempts: 0,
      result: { cents: 100_000, approvedBy: 'Ada' },
    });
    expect(await world.client.ended(refused)).toMatchObject({
      status: 'cancelled',
      error: { detail: 'Grace said no.' },
    });
  });

  it('are named to a caller who asks for one that is not there, and check their input', async () => {
    const unknown = await world.client.post('/v1/jobs', { json: { kind: 'report.weekly', input: {} } });
    expect(outcome(unknown)).toBe('422 UNKNOWN_KIND');
    expect(unknown.body.known).toEqual(expect.arrayContaining(['report.monthly', 'text.fingerprint', 'ingest']));
    const unfit = await world.client.post('/v1/jobs', { json: { kind: 'text.fingerprint', input: { text: 7 } } });
    expect([outcome(unfit), unfit.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', '#/input/text']);
  });
}
