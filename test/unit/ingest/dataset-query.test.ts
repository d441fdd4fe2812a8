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

it('a query as of a time before a table was published says so', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  await app.upload(dataset, 'towns.csv', 'n\n1\n');
  const { status, body } = await app.query(dataset, 'FROM towns', { asOf: '2001-01-01T00:00:00Z' });
  expect([status, body.detail]).toEqual([
    422,
    'There is no table towns here. Tables: none. Published later than what is asked for: towns.',
  ]);
});
