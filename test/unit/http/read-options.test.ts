import { describe, expect, it } from 'vitest';
import type { JobId, TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { loadPayload } from '../../../lib/job/payload.ts';
import { outcome, withDataset } from './harness.ts';

type App = Awaited<ReturnType<typeof withDataset>>;

const options = { delimiter: '^', headerRow: 3, nullWords: ['NA'], types: { zip: 'VARCHAR' } };
const body = Buffer.from('a^b\n1^2\n');
const headers = { 'content-type': 'application/octet-stream' };

async function inputOf(app: App, id: JobId): Promise<unknown> {
  const row = await app.store.get({ tenant: 't1' as TenantId, workspace: 'main' as WorkspaceId, id });
  return row && loadPayload(app.deps, row, row.input);
}

const upload = (app: App, query: Record<string, string>, more: Record<string, string> = {}) =>
  app.send('POST', `/v1/datasets/${app.dataset}/files?${new URLSearchParams({ name: 'x.csv', ...query }).toString()}`, {
    body,
    headers: { ...headers, ...more },
  });

describe('what is said of a file', () => {
  it('reaches its ingest with a direct upload', async () => {
    using app = await withDataset();
    const answer = await upload(app, { table: 'sales', options: JSON.stringify(options) });
    expect(answer.status).toBe(202);
    expect(await inputOf(app, answer.body.id)).toMatchObject({ name: 'x.csv', table: 'sales', options });
  });

  it('reaches it with an upload in parts, which is started with it', async () => {
    using app = await withDataset();
    const json = { name: 'x.csv', size: 10, table: 'sales', options };
    const { body: started } = await app.send('POST', `/v1/datasets/${app.dataset}/uploads`, { json });
    const parts = [{ number: 1, etag: '"good"' }];
    const { body: job } = await app.send('POST', started.completeRoute, { json: { parts } });
    expect(await inputOf(app, job.id)).toMatchObject({ table: 'sales', options });
  });

  it('belongs to what was asked under an idempotency key', async () => {
    using app = await withDataset();
    const key = { 'idempotency-key': 'once' };
    const first = await upload(app, { options: '{"headerRow":2}' }, key);
    expect((await upload(app, { options: '{ "headerRow": 2 }' }, key)).body.id).toBe(first.body.id);
    expect(outcome(await upload(app, { options: '{"headerRow":3}' }, key))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(outcome(await upload(app, {}, key))).toBe('422 IDEMPOTENCY_KEY_REUSED');
  });

  it.each([
    [{ options: '{' }, '#/query/options'],
    [{ options: '[]' }, '#/query/options'],
    [{ options: '{"delimiter":"ab"}' }, '#/query/options/delimiter'],
    [{ options: '{"types":{"a":"MONEY"}}' }, '#/query/options/types/a'],
    [{ options: '{"headerrow":1}' }, '#/query/options/headerrow'],
    [{ options: 'x'.repeat(8193) }, '#/query/options'],
    [{ table: '2024' }, '#/query/table'],
  ])('is refused with its place where it is wrong (%#)', async (query, pointer) => {
    using app = await withDataset();
    const answer = await upload(app, query);
    expect([outcome(answer), answer.body.errors[0].pointer]).toEqual(['422 VALIDATION_FAILED', pointer]);
    expect(app.objects.size).toBe(0);
  });
});
