// What a look has on the disk, and when it is gone from there.
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { countsIn } from '../../../../lib/ingest/relations/published.ts';
import { requireDisk } from '../../../../lib/ingest/stages/place.ts';
import { startIngestApp } from '../../../support/ingest-app.ts';
import { inFolder } from '../world.ts';

const rows = (of: string) => Array.from({ length: 30 }, (_, n) => ({ id: n, word: `${of} ${n}` }));

it('of a table is there alone: the parts of the one before are gone', async () => {
  await using app = await startIngestApp();
  const beside: string[][] = [];
  const { download } = app.objects;
  app.objects.download = async (key, path) => {
    if (key.endsWith('.parquet')) beside.push(await readdir(dirname(path)));
    return download(key, path);
  };
  const dataset = await app.dataset();
  const file = JSON.stringify({ one: rows('one'), two: rows('two'), three: rows('three') });
  expect(await app.upload(dataset, 'f.json', file)).toMatchObject({ status: 'succeeded' });
  const looks = beside.slice(0, 3);
  expect(looks).toEqual([[], [], []]);
});

it('of a snapshot that is published while samples are refreshed is that one', async () => {
  let between: (() => Promise<unknown>) | undefined;
  await using app = await startIngestApp(({ objects }) => ({
    objects: {
      ...objects,
      putOnce: async (key, body) => {
        const run = key.endsWith('manifest-0.json') ? between : undefined;
        if (run !== undefined) between = undefined;
        await run?.();
        return objects.putOnce(key, body);
      },
    },
  }));
  const dataset = await app.dataset();
  await app.upload(dataset, 't.json', JSON.stringify(rows('before')));
  const { t } = await app.tables(dataset);
  between = () => app.upload(dataset, 't.json', JSON.stringify(rows('after')));
  await app.send('POST', `/v1/datasets/${dataset}/tables/${t.id}/samples/refresh`);
  await app.settle();
  expect(between).toBeUndefined();
  const [, word] = (await app.tables(dataset))['t'].columns;
  expect(word.samples).toHaveLength(8);
  for (const sample of word.samples) expect(sample).toMatch(/^after /);
});

it('is refused where it has more bytes than the disk has room for', async () => {
  await inFolder(async (folder) => {
    const disk = { folder: async () => folder };
    await requireDisk(disk, 1);
    const bytes = Number.MAX_SAFE_INTEGER;
    const refused = { code: 'INGEST_DISK', retriable: false, detail: expect.stringContaining(String(bytes)) };
    await expect(requireDisk(disk, bytes)).rejects.toMatchObject(refused);
  });
});

it('in part counts nothing of the whole table for relations', () => {
  expect(countsIn({ nulls: 2, distinct: 8 })).toEqual({ nulls: 2, distinct: 8 });
  expect(countsIn({ rows: 10, nulls: 2, distinct: 8 })).toEqual({ nulls: 0, distinct: undefined });
});
