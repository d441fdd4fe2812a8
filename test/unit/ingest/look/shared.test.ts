import { afterEach, expect, it, vi } from 'vitest';
import type * as look from '../../../../lib/ingest/look/look-at-table.ts';
import { startIngestApp } from '../../../support/ingest-app.ts';

const looks: string[][] = [];
let fails: (wanted: ReadonlySet<string>) => boolean = () => false;
vi.mock('../../../../lib/ingest/look/look-at-table.ts', async (original) => {
  const real = await original<typeof look>();
  const lookAtTable: typeof real.lookAtTable = async (request) => {
    looks.push([...request.wanted]);
    if (fails(request.wanted)) throw new Error('no memory');
    return real.lookAtTable(request);
  };
  return { ...real, lookAtTable };
});
afterEach(() => {
  looks.length = 0;
  fails = () => false;
});

const csv = `n,word\n${Array.from({ length: 30 }, (_, n) => `${n},w${n}\n`).join('')}`;

/** The table that the file becomes under such demands. */
async function ingested(stages: Record<string, string> = {}) {
  await using app = await startIngestApp();
  const dataset = await app.dataset('d', { policy: { stages } });
  const job = await app.upload(dataset, 't.csv', csv);
  return { job, table: (await app.tables(dataset)).t };
}

it('one look serves all stages of a run', async () => {
  const { table } = await ingested();
  expect(looks).toEqual([['values', 'rows', 'profile', 'texts']]);
  expect(table.sampleRows.rows).toHaveLength(5);
  expect(table.columns[1]).toMatchObject({ profile: { distinct: 30 }, samples: expect.anything() });
});

it('what only stages need that are off is not looked for', async () => {
  await ingested({ sample: 'off', profile: 'off' });
  expect(looks).toEqual([['values', 'texts']]);
});

it('what one stage needs and cannot be had fails that stage, and no other', async () => {
  fails = (wanted) => wanted.has('profile');
  const { table } = await ingested({ profile: 'best-effort' });
  expect(looks[0]).toContain('profile');
  expect(table.columns[1].profile).toBeUndefined();
  expect(table.degraded).toEqual(['profile']);
  expect(table.columns[1].samples.length).toBeGreaterThan(0);
  expect(table.columns[1].description.text).toContain('week');
});
