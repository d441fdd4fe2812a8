// A place whose holder died before it gave it back: the reaper, with the rights of its role, evicts the holder and wakes who waits.
import { afterAll, expect, it } from 'vitest';
import { newId } from '../../lib/core/ids.ts';
import { systemChance } from '../../lib/core/chance.ts';
import { systemClock } from '../../lib/core/time.ts';
import { counterOf, heldOf } from '../../lib/job/gates/slots.ts';
import { openCloud, scope } from './support/cloud.ts';
import { claim, ownEngine, submitUnheard } from './support/engine.ts';
import { sweepNow } from './support/invoke.ts';
import { ended, inStatus } from './support/jobs.ts';
import { waitFor } from './support/wait.ts';

const cloud = openCloud();
afterAll(() => cloud[Symbol.dispose]());

it('a place that was never given back is evicted by the sweep, and the job that waits for it runs', async () => {
  const engine = ownEngine(cloud);
  const kind = 'diagnostic.echo';
  const concurrencyKey = { key: `place-${newId('job', systemClock.now(), systemChance)}`, limit: 1 };
  const { ref, epoch, owner } = await claim(engine, await submitUnheard(engine, kind, 1, { concurrencyKey }));
  const writeId = newId('w', systemClock.now(), systemChance);
  await cloud.store.write(ref, 'succeed', { writeId, epoch, owner, now: systemClock.now() });

  const { body } = await cloud.http.post('/v1/jobs', { json: { kind, input: 2, concurrencyKey } });
  const parked = await inStatus(cloud, body.id, 'parked');
  expect(parked.parked).toBe(`slot:${concurrencyKey.key}`);
  await waitFor('the re-check to come due', async () => systemClock.now() > (parked.dueAt ?? 0) + 1500, {
    seconds: 30,
  });
  await sweepNow(cloud);
  expect(await ended(cloud, body.id)).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
  const free = async () => heldOf(await cloud.store.getSide(counterOf(scope, concurrencyKey.key))) === 0;
  await waitFor('its own place to be given back', free);
});
