// Places that were not given back: by the relay, where an end was written and its follow-up was not; by the reaper, with the rights of its
// role, where nobody will ever tell.
import { afterAll, expect, it } from 'vitest';
import { newId } from '../../lib/core/ids.ts';
import { systemChance } from '../../lib/core/chance.ts';
import { systemClock } from '../../lib/core/time.ts';
import { counterOf, heldOf, takeWrites } from '../../lib/job/gates/slots.ts';
import { aJobRow } from '../../lib/testing/builders.ts';
import { openCloud, scope } from './support/cloud.ts';
import { claim, ownEngine, submitUnheard } from './support/engine.ts';
import { sweepNow } from './support/invoke.ts';
import { ended, inStatus } from './support/jobs.ts';
import { waitFor } from './support/wait.ts';

const cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

const kind = 'diagnostic.echo';
const aLimit = () => ({ key: `place-${newId('job', systemClock.now(), systemChance)}`, limit: 1 });
const aWriteId = () => newId('w', systemClock.now(), systemChance);
const given = (key: string) =>
  waitFor('the place to be given back', async () => heldOf(await cloud.store.getSide(counterOf(scope, key))) === 0);

it('a place whose job has ended, and whose worker died then, is given back by the relay', async () => {
  const engine = ownEngine(cloud);
  const concurrencyKey = aLimit();
  const { ref, epoch, owner } = await claim(engine, await submitUnheard(engine, kind, 1, { concurrencyKey }));
  await cloud.store.write(ref, 'succeed', { writeId: aWriteId(), epoch, owner, now: systemClock.now() });
  await given(concurrencyKey.key);
});

it('a place whose holder is gone is evicted by the sweep, and the job that waits for it runs', async () => {
  const concurrencyKey = aLimit();
  const gone = aJobRow({ ...scope, id: newId('job', systemClock.now(), systemChance) });
  const taken = takeWrites(gone, [concurrencyKey], gone.epoch, systemClock.now());
  expect(await cloud.store.transact(taken, aWriteId())).toEqual({ kind: 'applied' });

  const { body } = await cloud.http.post('/v1/jobs', { json: { kind, input: 2, concurrencyKey } });
  const parked = await inStatus(cloud, body.id, 'parked');
  expect(parked.parked).toBe(`slot:${concurrencyKey.key}`);
  await waitFor('the re-check to come due', async () => systemClock.now() > (parked.dueAt ?? 0) + 1500, {
    seconds: 30,
  });
  await sweepNow(cloud);
  expect(await ended(cloud, body.id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
  await given(concurrencyKey.key);
});
