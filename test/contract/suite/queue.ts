// What every queue does with doorbells, whatever carries them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Epoch } from '../../../lib/core/ids.ts';
import { type DurationMs, millis, seconds, systemClock } from '../../../lib/core/time.ts';
import type { Doorbell, Ringer } from '../../../lib/job/ports.ts';
import type { Lane } from '../../../lib/job/row.ts';
import { aRef } from '../support/jobs.ts';

export interface Heard {
  readonly bell: Doorbell;
  readonly receiveCount: number;
  /** The message is done with. */
  done(): Promise<void>;
  /** The message is given back, to be delivered again after a time. */
  again(after: DurationMs): Promise<void>;
}
export interface QueueHarness {
  readonly ringer: Ringer;
  /** The next message of a lane; rejects when none comes for ten seconds. */
  hear(lane: Lane): Promise<Heard>;
  close(): Promise<void>;
}

const KIND = 'echo';

export function queueSuite(name: string, open: () => Promise<QueueHarness>): void {
  describe(`doorbells over ${name}`, () => {
    let harness: QueueHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());
    const aBell = (): Doorbell => ({ ref: aRef(), epoch: 7 as Epoch });

    it('arrive as they were rung, on their lane', async () => {
      const [due, other] = [aBell(), aBell()];
      await harness.ringer.ring(due, 'due', KIND);
      await harness.ringer.ring(other, 'default', KIND);
      for (const [lane, bell] of [
        ['default', other],
        ['due', due],
      ] as const) {
        const heard = await harness.hear(lane);
        expect(heard).toMatchObject({ bell, receiveCount: 1 });
        await heard.done();
      }
    });

    it('all arrive when many are rung at once', async () => {
      const bells = Array.from({ length: 23 }, aBell);
      const rings = bells.map((bell) => ({ bell, lane: 'default', kind: KIND, delay: millis(0) }) as const);
      expect(await harness.ringer.ringMany?.(rings)).toEqual([]);
      const heard = new Set<string>();
      while (heard.size < bells.length) {
        const { bell, done } = await harness.hear('default');
        heard.add(bell.ref.id);
        await done();
      }
      expect(heard).toEqual(new Set(bells.map(({ ref }) => ref.id)));
    });

    it('wait for their delay, and do not make the lane busy meanwhile', async () => {
      const bell = aBell();
      const start = systemClock.monotonic();
      await harness.ringer.ring(bell, 'default', KIND, millis(1500));
      expect(await harness.ringer.isIdle('default', KIND)).toBe(true);
      const heard = await harness.hear('default');
      expect(systemClock.monotonic() - start).toBeGreaterThan(1450);
      expect(heard.bell).toEqual(bell);
      await heard.done();
    });

    it('come again after they were given back, with a higher count, until they are done with', async () => {
      const bell = aBell();
      await harness.ringer.ring(bell, 'due', KIND);
      const first = await harness.hear('due');
      await first.again(seconds(1));
      const second = await harness.hear('due');
      expect(second).toMatchObject({ bell, receiveCount: first.receiveCount + 1 });
      await second.done();
      expect(await harness.ringer.isIdle('due', KIND)).toBe(true);
    });

    it('make their lane busy, and only theirs, until they are heard', async () => {
      expect(await harness.ringer.isIdle('due', KIND)).toBe(true);
      await harness.ringer.ring(aBell(), 'due', KIND);
      expect(await harness.ringer.isIdle('due', KIND)).toBe(false);
      expect(await harness.ringer.isIdle('default', KIND)).toBe(true);
      await (await harness.hear('due')).done();
      expect(await harness.ringer.isIdle('due', KIND)).toBe(true);
    });
  });
}
