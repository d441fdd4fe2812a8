import { describe, expect, it } from 'vitest';
import { newId } from '../../../lib/core/ids.ts';
import { minutes } from '../../../lib/core/time.ts';
import type { Ringer } from '../../../lib/job/ports.ts';
import type { Lane } from '../../../lib/job/row.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { patientRinger } from '../../../lib/job/sweep/sweep-pace.ts';
import { aJobRow, builtAt } from '../../../lib/testing/builders.ts';
import { aBench } from './bench.ts';

/** `heavy` has queues of its own, every other kind shares those of the worker. */
function asked(more: Partial<Ringer> = {}) {
  const questions: string[] = [];
  const ringer: Ringer = {
    ring: async () => undefined,
    isIdle: async (lane, kind) => questions.push(`${lane} ${kind}`) > 0,
    queueOf: (kind) => (kind === 'heavy' ? 'heavy' : 'worker'),
    ...more,
  };
  return { questions, ringer };
}
const all = (ringer: Ringer, calls: readonly (readonly [Lane, string])[]) =>
  Promise.all(calls.map((call) => ringer.isIdle(...call)));
const calls = [
  ['default', 'mail'],
  ['default', 'report'],
  ['default', 'heavy'],
  ['due', 'mail'],
  ['due', 'report'],
  ['default', 'mail'],
] as const;

describe('a sweep', () => {
  it('asks once about each queue, however many kinds share it', async () => {
    const { questions, ringer } = asked();
    expect(await all(patientRinger(ringer), calls)).toEqual(calls.map(() => true));
    expect(questions).toEqual(['default mail', 'default heavy', 'due mail']);
  });

  it('asks once about each kind where nobody says what queues they share', async () => {
    const { questions, ringer } = asked();
    const { queueOf: _, ...mute } = ringer;
    await all(patientRinger(mute), calls);
    expect(questions).toHaveLength(5);
  });

  it('takes a queue that does not answer as idle, without asking again', async () => {
    let tries = 0;
    const isIdle = async () => {
      tries += 1;
      throw new Error('throttled');
    };
    expect(await all(patientRinger(asked({ isIdle }).ringer), calls.slice(0, 2))).toEqual([true, true]);
    expect(tries).toBe(1);
  });

  it('over rows of twenty kinds asks about one queue', async () => {
    const bench = aBench();
    const { questions, ringer } = asked({ ring: bench.engine.ringer.ring });
    const anId = () => newId('job', builtAt, bench.engine.chance);
    for (let n = 0; n < 20; n++) bench.put(aJobRow({ id: anId(), kind: `kind-${n}` }));
    await bench.waitUntil(minutes(2));
    const report = await bench.play(sweep({ ...bench.engine, ringer }));
    expect([report.rows, questions.length, bench.rings.length]).toEqual([20, 1, 20]);
  });
});
