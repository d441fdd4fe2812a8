// The jobs that change a dataset share a flow of its name.
import { expect, it } from 'vitest';
import { startIngestApp } from '../../support/ingest-app.ts';

const csv = 'id,name\n1,a\n2,b\n';

it('lists the jobs of a dataset by its id, and holds them while it is paused', async () => {
  await using app = await startIngestApp();
  const [one, other] = [await app.dataset('one'), await app.dataset('other')];
  const { id } = await app.upload(one, 't.csv', csv);
  await app.upload(other, 't.csv', csv);
  const { body: listed } = await app.send('GET', `/v1/jobs?flow=${one}`);
  expect(listed.data).toMatchObject([{ id, kind: 'ingest', flow: one }]);

  await app.send('POST', `/v1/flows/${one}/pause`);
  const { body: held } = await app.sendFile(one, 'u.csv', csv);
  await app.settle();
  expect((await app.send('GET', `/v1/jobs/${held.id}`)).body).toMatchObject({
    status: 'parked',
    waiting: { reason: `flow:${one}` },
  });
  expect((await app.query(one, 'SELECT count(*) AS n FROM t')).body).toMatchObject({ rows: [[2]] });

  await app.send('POST', `/v1/flows/${one}/resume`);
  await app.settle();
  expect((await app.send('GET', `/v1/jobs/${held.id}`)).body).toMatchObject({ status: 'succeeded' });
  expect(Object.keys(await app.tables(one))).toEqual(['t', 'u']);
  const named = async (name: string) => (await app.send('GET', `/v1/datasets/${one}/tables?name=${name}`)).body.data;
  expect(await named('U')).toMatchObject([{ name: 'u' }]);
  expect(await named('nobody')).toEqual([]);
});
