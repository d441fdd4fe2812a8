import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createRegistry, defineJob } from '../../../lib/job/registry.ts';
import { lettersPipeline } from '../../support/letters.ts';
import { outcome, startApp } from './harness.ts';

const approval = defineJob({
  kind: 'approval',
  input: z.unknown(),
  run: async (ctx) => ({ said: await ctx.waitFor('approve') }),
});
const registry = createRegistry([approval, lettersPipeline().definition]);
const submitted = async (app: Awaited<ReturnType<typeof startApp>>, kind: string) =>
  (await app.send('POST', '/v1/jobs', { json: { kind, input: '>' } })).body.id as string;

describe('a signal', () => {
  it('answers with the job, queued by it, whose result holds the payload', async () => {
    using app = await startApp({ registry });
    const id = await submitted(app, 'approval');
    await app.work();
    const waits = (await app.send('GET', `/v1/jobs/${id}`)).body;
    expect(waits).toMatchObject({ status: 'parked', waiting: { reason: 'signal:approve' } });
    const told = await app.send('POST', `/v1/jobs/${id}/signal`, { json: { name: 'approve', payload: { by: 'ann' } } });
    expect([told.status, told.body.status]).toEqual([200, 'queued']);
    await app.work();
    expect((await app.send('GET', `/v1/jobs/${id}`)).body.result).toEqual({ said: { by: 'ann' } });
  });

  it('without a payload is null, and is refused where it is another, late, or not for this caller', async () => {
    using app = await startApp({ registry });
    const id = await submitted(app, 'approval');
    const signal = (json: object, key = app.keys.own) =>
      app.send('POST', `/v1/jobs/${id}/signal`, { json, key }).then(outcome);
    expect(await signal({ name: 'approve' }, app.keys.other)).toBe('404 NOT_FOUND');
    expect(await signal({ name: 'approve' }, app.keys.reader)).toBe('403 FORBIDDEN');
    expect(await signal({ name: 'not a name' })).toBe('422 VALIDATION_FAILED');
    expect(await signal({ name: 'approve' })).toBe('200');
    expect(await signal({ name: 'approve', payload: null })).toBe('200');
    expect(await signal({ name: 'approve', payload: 1 })).toBe('409 CONFLICT');
    await app.work();
    expect((await app.send('GET', `/v1/jobs/${id}`)).body.result).toEqual({ said: null });
    expect(await signal({ name: 'approve' })).toBe('409 CONFLICT');
  });
});

describe('the run of a pipeline', () => {
  it('shows where it is held, and no more once it is resumed', async () => {
    using app = await startApp({ registry });
    const id = await submitted(app, 'letters');
    const verb = (name: string, json?: object) =>
      app.send('POST', `/v1/jobs/${id}/${name}`, json === undefined ? {} : { json });
    expect((await verb('pause')).body.hold).toBe('*');
    expect((await verb('pause', { before: 'c' })).body.hold).toBe('c');
    expect((await verb('resume')).body).not.toHaveProperty('hold');
    expect(outcome(await verb('step'))).toBe('409 CONFLICT');
    const wrong = await verb('pause', { before: 'z' });
    expect(outcome(wrong)).toBe('422 VALIDATION_FAILED');
    expect(wrong.body.errors).toMatchObject([{ pointer: '#/before', detail: expect.stringContaining('a, b, c') }]);
  });

  it('alone is held: a plain job is paused by its flow', async () => {
    using app = await startApp({ registry });
    const id = await submitted(app, 'approval');
    for (const verb of ['pause', 'resume', 'step']) {
      const refused = await app.send('POST', `/v1/jobs/${id}/${verb}`);
      expect(outcome(refused)).toBe('409 CONFLICT');
      expect(refused.body.detail).toContain('flow');
    }
  });
});
