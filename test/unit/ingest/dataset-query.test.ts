import { expect, it } from 'vitest';
import { startIngestApp } from '../../support/ingest-app.ts';

it('a query of a table that is not there is told which tables there are, whether it mentions them or not', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const detail = async (sql: string): Promise<string> => (await app.query(dataset, sql)).body.detail;
  expect(await detail('FROM cities')).toBe('There is no table cities here. Tables: none.');
  await app.upload(dataset, 'towns.csv', 'n\n1\n');
  await app.upload(dataset, 'rivers.csv', 'n\n1\n');
  for (const sql of ['FROM cities', 'FROM cities JOIN towns USING (n)'])
    expect(await detail(sql)).toBe('There is no table cities here. Tables: rivers, towns.');
});
