// The job that follows a success, where the process that settled has died before anything followed: by the relay, else by the sweep, with
// the rights of their roles.
import { afterAll, expect, it } from 'vitest';
import { seconds, systemClock } from '../../lib/core/time.ts';
import type { JobStore } from '../../lib/job/ports.ts';
import type { JobRow } from '../../lib/job/row.ts';
import { settleOutcome } from '../../lib/job/run/settle.ts';
import { engineDefaults } from '../../lib/job/settings.ts';
import { prepareOwed } from '../../lib/job/waits/owed.ts';
import { openCloud } from './support/cloud.ts';
import { claim, ownEngine, type OwnEngine, submitUnheard } from './support/engine.ts';
import { sweepNow } from './support/invoke.ts';
import { ended, eventsOf } from './support/jobs.ts';
import { waitFor } from './support/wait.ts';

const cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

const next = { kind: 'diagnostic.echo', input: 'after' };

/** Settles a success that owes `next`, and does nothing more. */
async function succeedAndDie(engine: OwnEngine): Promise<{ readonly owes: string; readonly settled: JobRow }> {
  const held = await claim(engine, await submitUnheard(engine, 'diagnostic.echo', 'first'));
  const owes = await prepareOwed(engine, held.row, next);
  await settleOutcome(engine, held, { kind: 'succeed', result: { inline: '"done"' }, owes });
  const settled = await cloud.row(held.ref.id);
  expect(settled).toMatchObject({ status: 'succeeded', result: { inline: '"done"' } });
  return { owes, settled };
}

async function isPaid({ id }: JobRow, owes: string): Promise<void> {
  await waitFor('the debt to be cleared', async () => (await cloud.row(id)).owes === undefined);
  expect((await cloud.row(id)).dueAt).toBeUndefined();
  expect(await ended(cloud, owes)).toMatchObject({ status: 'succeeded', parentId: id, result: { inline: '"after"' } });
  const { body } = await cloud.http.get(`/v1/jobs?parentId=${id}`);
  expect(body.data.map((child: { id: string }) => child.id)).toEqual([owes]);
}

it('a job that a success owes is made once by the relay', async () => {
  const { owes, settled } = await succeedAndDie(ownEngine(cloud));
  await isPaid(settled, owes);
});

it('a job that a success owes is made by the sweep where the relay could not', async () => {
  let save: (() => Promise<void>) | undefined;
  const late: JobStore['putPayload'] = async (...payload) => {
    save = () => cloud.store.putPayload(...payload);
  };
  const settings = { ...engineDefaults, lease: seconds(1) };
  const engine = ownEngine({ ...cloud, store: { ...cloud.store, putPayload: late } }, { settings });
  const { owes, settled } = await succeedAndDie(engine);
  await eventsOf(cloud, settled);
  expect(await cloud.store.get({ ...settled, id: owes as JobRow['id'] })).toBeUndefined();
  await save?.();
  await waitFor('the debt to come due', async () => systemClock.now() > (settled.dueAt ?? 0) + 1500);
  await sweepNow(cloud);
  await isPaid(settled, owes);
});
