import { describe, expect, it } from 'vitest';
import { seconds } from '../../../lib/core/time.ts';
import { createHeartbeats } from '../../../lib/job/heartbeat/heartbeat.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import { engineDefaults } from '../../../lib/job/settings.ts';
import { aClaim, aJobRow } from '../../../lib/testing/builders.ts';
import { aBench } from './bench.ts';

function aBeat(answer?: (send: () => Promise<unknown>) => Promise<unknown>) {
  const bench = aBench();
  const row = bench.put(aJobRow({ status: 'running' }));
  const sent: number[] = [];
  const store: Pick<typeof bench.store, 'write'> = {
    write: ((ref, rule, params) => {
      sent.push(bench.loop.now() - bench.at(0));
      const send = () => bench.store.write(ref, rule, params);
      return answer === undefined ? send() : answer(send);
    }) as typeof bench.store.write,
  };
  const heartbeats = createHeartbeats({ store, clock: bench.engine.clock, settings: engineDefaults });
  return { bench, sent, row, beat: heartbeats.start(aClaim(row)) };
}

describe('a heartbeat', () => {
  it('sends nothing before the first beat is due', async () => {
    const { bench, sent, beat } = aBeat();
    await bench.waitUntil(14_999);
    await beat.stop();
    await bench.waitUntil(60_000);
    expect(sent).toEqual([]);
    expect(beat.lost).toBe(false);
  });

  it('renews every beat, with the progress that is new', async () => {
    const { bench, row, sent, beat } = aBeat();
    beat.progress({ done: 1, total: 2, note: 'half' });
    await bench.waitUntil(46_000);
    await beat.stop();
    expect(sent).toEqual([2000, 17_000, 32_000]);
    expect(bench.store.row(row)).toMatchObject({ leaseUntil: bench.at(77_000), progress: { done: 1 } });
    expect(bench.store.changes.map(({ write }) => write.params['progress'] !== undefined)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['before anybody would ask for it', 1, [2000, 17_000]],
    ['between two looks for it', 6500, [8000, 23_000]],
    ['just before the first beat', 14_500, [15_000, 30_000]],
    ['behind the first beat', 16_000, [15_000, 17_000]],
  ])('is sooner for the first progress alone: %s', async (_, at, beats) => {
    const { bench, row, sent, beat } = aBeat();
    await bench.waitUntil(at);
    beat.progress({ done: 1, total: 2, note: 'half' });
    await bench.waitUntil((beats[0] ?? 0) + 100);
    beat.progress({ done: 2, total: 2, note: 'whole' });
    await bench.waitUntil(31_000);
    await beat.stop();
    expect(sent).toEqual(beats);
    expect(bench.store.row(row)?.progress).toMatchObject({ done: 2 });
  });

  it('is sooner again for the first progress of the next part', async () => {
    const { bench, row, sent, beat } = aBeat();
    beat.progress({ done: 1, total: 1, note: 'one' });
    await bench.waitUntil(5000);
    beat.nextPart('two');
    await bench.waitUntil(30_000);
    await beat.stop();
    // Looked for every two seconds from the beat before, and not told before the part has lasted as long.
    expect(sent).toEqual([2000, 8000, 23_000]);
    expect(bench.store.row(row)?.progress).toMatchObject({ note: 'two' });
  });

  it('tells of no progress where it is stopped before that', async () => {
    const { bench, sent, beat } = aBeat();
    beat.progress({ done: 1, total: 2, note: 'half' });
    await bench.waitUntil(1999);
    await beat.stop();
    await bench.waitUntil(60_000);
    expect(sent).toEqual([]);
  });

  it('takes an answer that does not come for no refusal, and tries again soon', async () => {
    let down = 3;
    const { bench, sent, beat } = aBeat((send) => (down-- > 0 ? Promise.reject(new StoreUnavailable('down')) : send()));
    await bench.waitUntil(30_000);
    expect(sent).toEqual([15_000, 18_000, 21_000, 24_000]);
    expect(beat.lost).toBe(false);
    await beat.stop();
  });

  it('stops itself before the lease ends where it could not be renewed', async () => {
    const { bench, beat } = aBeat(() => Promise.reject(new StoreUnavailable('down')));
    await bench.waitUntil(39_999);
    expect(beat.signal.aborted).toBe(false);
    await bench.waitUntil(40_000);
    expect(beat).toMatchObject({ lost: true, signal: { aborted: true } });
    await beat.stop();
  });

  it('counts its time from the last renewal that was answered', async () => {
    let answers = 1;
    const { bench, beat } = aBeat((send) => (answers-- > 0 ? send() : Promise.reject(new StoreUnavailable('down'))));
    await bench.waitUntil(54_999);
    expect(beat.lost).toBe(false);
    await bench.waitUntil(55_000);
    expect(beat.lost).toBe(true);
    await beat.stop();
  });

  it('does not wait for a store that never answers', async () => {
    const { bench, beat } = aBeat(() => new Promise(() => undefined));
    await bench.waitUntil(40_000);
    expect(beat.lost).toBe(true);
    await beat.stop();
  });

  it('is lost at once where somebody else holds the job', async () => {
    const { bench, row, beat } = aBeat();
    bench.put({ ...row, leaseOwner: 'own_other' as never });
    await bench.waitUntil(seconds(15));
    expect(beat.lost).toBe(true);
    await beat.stop();
  });

  it('knows its own renewal in a refusal', async () => {
    const { bench, beat, row } = aBeat(async (send) => {
      await send();
      return send();
    });
    await bench.waitUntil(100_000);
    expect(beat.lost).toBe(false);
    expect(bench.store.row(row)?.leaseUntil).toBe(bench.at(90_000 + 45_000));
    await beat.stop();
  });

  it('delivers a cancel and goes on renewing while the handler winds down', async () => {
    const { bench, row, beat, sent } = aBeat();
    bench.put({ ...row, cancelRequested: 'asked' });
    await bench.waitUntil(31_000);
    expect(beat).toMatchObject({ cancelReason: 'asked', lost: false, signal: { aborted: true } });
    expect(sent).toEqual([15_000, 30_000]);
    await beat.stop();
  });
});
