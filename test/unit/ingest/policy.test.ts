// What the policy of a dataset lets an ingest do without.
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../../lib/ingest/policy.ts';
import { startIngestApp } from '../../support/ingest-app.ts';

const csv = 'id,name\n1,a\n2,b\n';
/** Of what else a policy may switch off. */
const off = { describe: 'off', pii: 'off', sample: 'off' };

describe('the policy of a dataset', () => {
  it('says everything that a dataset leaves out', () => {
    expect(policyOf()).toEqual(policyOf({ stages: { profile: undefined } }));
    expect(policyOf({ stages: { profile: 'off' } }).stages.profile).toBe('off');
  });

  it('publishes what is not profiled where the stage is off, which is no lack', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset('d', { policy: { stages: { ...off, profile: 'off' } } });
    expect(await app.upload(dataset, 't.csv', csv)).toMatchObject({ status: 'succeeded', result: { warningCount: 0 } });
    const { t } = await app.tables(dataset);
    expect(t.columns).toEqual([
      { name: 'id', type: 'BIGINT' },
      { name: 'name', type: 'VARCHAR' },
    ]);
    expect(t).not.toHaveProperty('degraded');
    expect((await app.query(dataset, 'SELECT sum(id) AS s FROM t')).body).toMatchObject({ rows: [[3]] });
  });

  it('is changed for what is received afterwards', async () => {
    await using app = await startIngestApp();
    const dataset = await app.dataset();
    await app.upload(dataset, 't.csv', csv);
    expect((await app.tables(dataset))['t'].columns[0]).toHaveProperty('profile');
    const policy = { stages: { profile: 'off', describe: 'off' } };
    const changed = await app.send('PATCH', `/v1/datasets/${dataset}`, { json: { policy } });
    expect(changed).toMatchObject({ status: 200, body: { name: 'd', policy } });
    expect((await app.send('GET', `/v1/datasets/${dataset}`)).body).toMatchObject({ policy });
    await app.upload(dataset, 't.csv', csv);
    expect((await app.tables(dataset))['t'].columns[0]).not.toHaveProperty('profile');
  });

  it.each([
    ['best-effort', 'succeeded'],
    ['required', 'failed'],
  ])('lets an ingest whose stage fails end, where it is %s, as %s', async (demand, status) => {
    // The part can be read by nobody once it is written.
    await using app = await startIngestApp(({ objects }) => ({
      objects: { ...objects, download: async (key, path) => !key.endsWith('.parquet') && objects.download(key, path) },
    }));
    const dataset = await app.dataset('d', { policy: { stages: { ...off, profile: demand } } });
    const job = await app.upload(dataset, 't.csv', csv);
    expect(job).toMatchObject({ status });
    const { t } = await app.tables(dataset);
    if (status === 'failed') return expect(t).toBeUndefined();
    expect(job.result).toMatchObject({ warningCount: 1, warnings: [{ code: 'STAGE_SKIPPED' }] });
    expect(t).toMatchObject({ degraded: ['profile'], warnings: [{ code: 'STAGE_SKIPPED' }] });
    expect(t.warnings[0].message).toContain('It is profile. INPUT_UNREADABLE');
  });
});
