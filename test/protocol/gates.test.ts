// What a claim must pass, under processes that meet in every order and die: places, rates, flows and guards.
import { describe, expect, it } from 'vitest';
import { seededChance } from '../../lib/core/chance.ts';
import { hours, minutes, seconds } from '../../lib/core/time.ts';
import { cancelJob } from '../../lib/job/run/cancel.ts';
import { disableFlow, enableFlow, findFlow, pauseFlow, resumeFlow, stepFlow } from '../../lib/job/gates/flow.ts';
import { setGuard } from '../../lib/job/gates/guard.ts';
import { type JobRow, refOf } from '../../lib/job/row.ts';
import { counterOf, heldOf, HOLDERS, placesOf } from '../../lib/job/gates/slots.ts';
import { builtAt } from '../../lib/testing/builders.ts';
import { createGateWorld, drawn, type GateWorld, isStart, scope } from './support/gate-world.ts';

const seeds = Array.from({ length: 25 }, (_, at) => at + 1);

/** How many places under the key are taken, and by how many holders. */
async function places({ memory }: GateWorld, key: string) {
  const holders = await memory.listSides(placesOf(scope, key), { limit: 1000, prefix: HOLDERS });
  return { held: heldOf(await memory.getSide(counterOf(scope, key))), holders: holders.items.length };
}

describe('places under a key', () => {
  it('are never taken by more than the limit at once, whoever dies, and every one is given back', async () => {
    for (const seed of seeds) {
      const draws = seededChance(seed);
      const [limit, jobs] = [drawn(draws, 1, 3), drawn(draws, 5, 25)];
      const running = new Set<string>();
      let most = 0;
      const world = createGateWorld(seed, {
        workers: 6,
        deaths: 0.1,
        changed: (row) => {
          if (row.status === 'running') running.add(row.id);
          else running.delete(row.id);
          most = Math.max(most, running.size);
        },
      });
      const ended = await world.play(
        (async () => {
          for (let at = 0; at < jobs; at++)
            await world.submit(drawn(draws, 0, 3000), { concurrencyKey: { key: 'k', limit } });
          const [first] = await world.rows();
          if (first !== undefined && draws.next() < 0.5) await cancelJob(world.engine, refOf(first), 'no more');
          return world.untilAllEnded(hours(6));
        })(),
      );
      expect(
        ended.filter(({ finishedAt }) => finishedAt === undefined),
        `seed ${seed}`,
      ).toEqual([]);
      expect(most, `seed ${seed}`).toBeLessThanOrEqual(limit);
      const { held, holders } = await places(world, 'k');
      expect(held, `seed ${seed}`).toBe(holders);
      expect(held).toBeLessThanOrEqual(limit);
      await world.stop();
    }
  });

  it('are all free again once every job has ended, where nobody died', async () => {
    for (const seed of seeds.slice(0, 10)) {
      const world = createGateWorld(seed, { workers: 5 });
      const rows = await world.play(
        (async () => {
          for (let at = 0; at < 20; at++) await world.submit(500, { concurrencyKey: { key: 'k', limit: 2 } });
          return world.untilAllEnded(minutes(30));
        })(),
      );
      expect(rows.map(({ status, attempts, crashes }) => ({ status, attempts, crashes }))).toEqual(
        Array.from({ length: 20 }, () => ({ status: 'succeeded', attempts: 0, crashes: 0 })),
      );
      await world.stop();
      expect(await places(world, 'k')).toEqual({ held: 0, holders: 0 });
    }
  });

  it('leave nobody waiting for the sweep who finds them full just as one is given back', async () => {
    for (let seed = 1; seed <= 150; seed++) {
      const world = createGateWorld(seed, { workers: 3 });
      const rows = await world.play(
        (async () => {
          for (let at = 0; at < 2; at++) await world.submit(seed, { concurrencyKey: { key: 'k', limit: 1 } });
          return world.untilAllEnded(minutes(5));
        })(),
      );
      const took = Math.max(...rows.map(({ finishedAt = Infinity }) => finishedAt - builtAt));
      expect(took, `seed ${seed}`).toBeLessThan(15_000);
      await world.stop();
    }
  });

  it('go on being handed out when whoever held one died before it gave it back', async () => {
    const world = createGateWorld(3, { workers: 4, deaths: 0.5 });
    const rows = await world.play(
      (async () => {
        for (let at = 0; at < 6; at++) await world.submit(100, { concurrencyKey: { key: 'k', limit: 1 } });
        return world.untilAllEnded(hours(10));
      })(),
    );
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['succeeded']));
    await world.stop();
  });

  it('hold a tenant to its cap, whatever its jobs are called', async () => {
    let [running, most] = [0, 0];
    const world = createGateWorld(1, {
      workers: 6,
      settings: { tenantCap: 2 },
      changed: (row, before) => {
        running += Number(row.status === 'running') - Number(before?.status === 'running');
        most = Math.max(most, running);
      },
    });
    await world.play(
      (async () => {
        for (let at = 0; at < 12; at++) await world.submit(1000, {});
        return world.untilAllEnded(minutes(30));
      })(),
    );
    expect(most).toBe(2);
    await world.stop();
  });
});

describe('a rate', () => {
  /** The most starts in any stretch of `length` ms. */
  const most = (starts: readonly number[], length: number) =>
    Math.max(...starts.map((from) => starts.filter((each) => each >= from && each < from + length).length));

  it('is never exceeded, after an outage neither, and no job waits for a poll', async () => {
    for (const seed of seeds.slice(0, 12)) {
      const draws = seededChance(seed);
      const rate = { key: 'r', perMinute: drawn(draws, 6, 60), burst: drawn(draws, 1, 4) };
      const starts: number[] = [];
      const world = createGateWorld(seed, {
        workers: 5,
        changed: (row, before, now) => {
          if (isStart(row, before)) starts.push(now);
        },
      });
      const jobs = 30;
      const began = world.clock.now();
      await world.play(
        (async () => {
          for (let at = 0; at < jobs; at++) await world.submit(10, { rate, flow: 'f' });
          await pauseFlow(world.engine, scope, 'f');
          await world.clock.sleep(minutes(drawn(draws, 0, 5)));
          await resumeFlow(world.engine, scope, 'f');
          return world.untilAllEnded(hours(2));
        })(),
      );
      expect(starts, `seed ${seed}`).toHaveLength(jobs);
      for (const length of [1000, 10_000, 60_000]) {
        const allowed = rate.burst + (rate.perMinute * (length + 5000)) / 60_000;
        expect(most(starts, length), `seed ${seed}, ${length} ms`).toBeLessThanOrEqual(Math.ceil(allowed));
      }
      expect(Math.max(...starts) - began).toBeLessThan(minutes(5 + 3) + (2 * jobs * 60_000) / rate.perMinute);
      await world.stop();
    }
  });
});

describe('a flow', () => {
  it('starts nothing after its pause is answered, and everything once it is resumed', async () => {
    for (const seed of seeds) {
      let [paused, late] = [false, 0];
      const world = createGateWorld(seed, {
        workers: 5,
        changed: (row, before) => {
          if (paused && isStart(row, before)) late += 1;
        },
      });
      const rows = await world.play(
        (async () => {
          for (let at = 0; at < 15; at++) await world.submit(200, { flow: 'f' });
          await pauseFlow(world.engine, scope, 'f', 'look at it');
          paused = true;
          await world.clock.sleep(seconds(90));
          paused = false;
          await resumeFlow(world.engine, scope, 'f');
          return world.untilAllEnded(minutes(30));
        })(),
      );
      expect(late, `seed ${seed}`).toBe(0);
      expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
      await world.stop();
    }
  });

  it('lets exactly one job through a step, however many wait, and none that was granted before a resume', async () => {
    for (const seed of seeds) {
      const started: JobRow[] = [];
      const world = createGateWorld(seed, {
        workers: 5,
        changed: (row, before) => {
          if (isStart(row, before)) started.push(row);
        },
      });
      const counts = await world.play(
        (async () => {
          await pauseFlow(world.engine, scope, 'f');
          const granted = await stepFlow(world.engine, scope, 'f');
          await resumeFlow(world.engine, scope, 'f');
          await pauseFlow(world.engine, scope, 'f');
          for (let at = 0; at < 8; at++) await world.submit(100, { flow: 'f' });
          const seen = [granted.steps];
          for (let step = 0; step < 3; step++) {
            await world.clock.sleep(seconds(90));
            seen.push(started.length);
            await stepFlow(world.engine, scope, 'f');
          }
          await world.clock.sleep(seconds(90));
          return [...seen, started.length];
        })(),
      );
      expect(counts, `seed ${seed}`).toEqual([1, 0, 1, 2, 3]);
      await world.stop();
    }
  });

  it('lets exactly one of those through that come to a granted step at once', async () => {
    for (const seed of seeds) {
      let started = 0;
      const world = createGateWorld(seed, {
        workers: 8,
        changed: (row, before) => {
          if (isStart(row, before)) started += 1;
        },
      });
      await world.play(
        (async () => {
          await pauseFlow(world.engine, scope, 'f');
          await stepFlow(world.engine, scope, 'f');
          await Promise.all(Array.from({ length: 8 }, () => world.submit(100, { flow: 'f' })));
          await world.clock.sleep(minutes(5));
        })(),
      );
      expect(started, `seed ${seed}`).toBe(1);
      await world.stop();
    }
  });

  it('that is disabled drops what waits, refuses what names it, and takes work again once it is enabled', async () => {
    const world = createGateWorld(1, { workers: 3 });
    await world.play(
      (async () => {
        await pauseFlow(world.engine, scope, 'f');
        for (let at = 0; at < 5; at++) await world.submit(100, { flow: 'f' });
        await world.clock.sleep(seconds(5));
        await disableFlow(world.engine, scope, 'f', 'gone');
        const rows = await world.untilAllEnded(minutes(5));
        expect(rows.map(({ status, error }) => [status, error?.code])).toEqual(
          Array.from({ length: 5 }, () => ['cancelled', 'DROPPED']),
        );
        expect(rows[0]?.error?.detail).toBe('The flow "f" is disabled: gone.');
        await expect(world.submit(1, { flow: 'f' })).rejects.toMatchObject({ code: 'FLOW_DISABLED' });
        await expect(resumeFlow(world.engine, scope, 'f')).rejects.toMatchObject({ code: 'CONFLICT' });
        await expect(stepFlow(world.engine, scope, 'f')).rejects.toMatchObject({ code: 'CONFLICT' });
        await enableFlow(world.engine, scope, 'f');
        expect((await findFlow(world.engine, scope, 'f'))?.state).toBe('active');
        const { row } = await world.submit(1, { flow: 'f' });
        await world.untilAllEnded(minutes(5));
        expect(world.memory.row(refOf(row))?.status).toBe('succeeded');
      })(),
    );
    await world.stop();
  });
});

describe('a guard', () => {
  it('drops the job that was submitted under another value, and says so; without a value everything passes', async () => {
    const world = createGateWorld(1);
    await world.play(
      (async () => {
        const free = await world.submit(1, { guard: { key: 'g', value: 'one' } });
        await world.untilAllEnded(minutes(1));
        await setGuard(world.engine, scope, 'g', 'two');
        const late = await world.submit(1, { guard: { key: 'g', value: 'one' } });
        const right = await world.submit(1, { guard: { key: 'g', value: 'two' } });
        await world.untilAllEnded(minutes(1));
        const end = ({ row }: typeof free) => world.memory.row(refOf(row));
        expect([free, late, right].map((each) => end(each)?.status)).toEqual(['succeeded', 'cancelled', 'succeeded']);
        expect(end(late)?.error?.detail).toBe('The guard "g" has moved on from "one" to "two".');
      })(),
    );
    await world.stop();
  });
});
