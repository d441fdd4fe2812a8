import { expect, it } from 'vitest';
import { startIngestApp } from '../../support/ingest-app.ts';

it('a page of changes has as many snapshots as an answer holds, and the pages have all of them', {
  timeout: 120_000,
}, async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const columns = 40;
  for (const word of ['one ', 'two ', 'three ', 'four ']) {
    const names = Array.from({ length: columns }, (_, column) => `${column} ${word.repeat(2400)}`);
    await app.upload(dataset, 't.csv', `${names.join(',')}\n`);
  }
  const { t } = await app.tables(dataset);
  const counts: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { status, bytes, body } = await app.send('GET', `/v1/datasets/${dataset}/tables/${t.id}/changes${at}`);
    expect(status).toBe(200);
    expect(bytes.length).toBeLessThan(4_000_000);
    counts.push(body.data.length);
    cursor = body.nextCursor;
  }
  expect(counts.length).toBeGreaterThan(1);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(columns * 7);
});

it('one snapshot with more changes than an answer holds is told in parts, whatever is published between them', {
  timeout: 120_000,
}, async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const columns = 70;
  const upload = async (word: string, length: number) => {
    const names = Array.from({ length: columns }, (_, column) => `${column} ${word.repeat(length)}`);
    await app.upload(dataset, 't.csv', `${names.join(',')}\n`);
  };
  await upload('one ', 11_000);
  await upload('two ', 11_000);
  const { t } = await app.tables(dataset);
  const ids: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const at = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const { status, bytes, body } = await app.send('GET', `/v1/datasets/${dataset}/tables/${t.id}/changes${at}`);
    expect(status).toBe(200);
    expect(bytes.length).toBeLessThan(4_000_000);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
    if (pages === 0) await upload('three ', 10);
  }
  expect(pages).toBeGreaterThan(3);
  // Each change of the two snapshots once, and none of the one that came between.
  expect(ids).toEqual([
    ...Array.from({ length: 2 * columns }, (_, place) => `2-${place}`),
    ...Array.from({ length: columns }, (_, place) => `1-${place}`),
  ]);
});
