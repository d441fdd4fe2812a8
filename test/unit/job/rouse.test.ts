import { expect, it } from 'vitest';
import { silentLog } from '../../../lib/core/log.ts';
import { hours, later, systemClock } from '../../../lib/core/time.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import { rouseQueued } from '../../../lib/job/sweep/rouse.ts';
import { refOf } from '../../../lib/job/row.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { createMemoryStore } from '../../../lib/testing/memory-store.ts';

const clock = { ...systemClock, now: () => builtAt };
const idOf = (place: string) => `job_01HF7YAT00AAAAAAAAAAAAAA${place}` as never;

it('rings after a restart for what is queued and can be carried, due or not, and for nothing else', async () => {
  const store = createMemoryStore({ clock });
  const rung: Doorbell[] = [];
  const engine = {
    ...{ store, clock, settings: engineDefaults, log: silentLog },
    ringer: { ring: async (bell: Doorbell) => void rung.push(bell), isIdle: async () => true },
  };
  const waiting = aJobRow({ id: idOf('00') });
  const rows = [
    waiting,
    aJobRow({ id: idOf('01'), notBefore: later(builtAt, hours(2)) }),
    aJobRow({ id: idOf('02'), status: 'running' }),
    aJobRow({ id: idOf('03'), status: 'parked' }),
    aJobRow({ id: idOf('04'), status: 'succeeded' }),
  ];
  for (const row of rows) store.put(row);
  expect(await rouseQueued(engine)).toBe(1);
  expect(rung).toEqual([{ ref: refOf(waiting), epoch: waiting.epoch }]);
});
