// The same load for both sides: jobs one after the other for the latency, then many at once for the rate.
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../lib/core/time.ts';

/** One side of a comparison. */
export interface Side {
  readonly name: string;
  /** Submits one job over HTTP and answers its id. */
  submit(): Promise<string>;
  /** When the job started, epoch ms by the machine's clock; undefined while it has not. */
  startedAt(id: string): Promise<number | undefined>;
  /** How many of the jobs of this side are finished. */
  finished(): Promise<number>;
}

export interface Latency {
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** From just before the submit to the start of the job, for `count` jobs one at a time. */
export async function measureLatency(side: Side, count: number): Promise<Latency> {
  const measured: number[] = [];
  for (let n = 0; n < count; n++) measured.push(await oneLatency(side));
  measured.sort((a, b) => a - b);
  return { medianMs: quantile(measured, 0.5), p95Ms: quantile(measured, 0.95) };
}

async function oneLatency(side: Side): Promise<number> {
  const before = systemClock.now();
  const id = await side.submit();
  const deadline = before + 30_000;
  for (;;) {
    const startedAt = await side.startedAt(id);
    if (startedAt !== undefined) return startedAt - before;
    if (systemClock.now() > deadline) throw new Error(`${side.name}: job ${id} did not start within 30 s`);
    await pause(3);
  }
}

/** Jobs per second from the first submit to the last finish, with `side by side` callers. */
export async function measureRate(side: Side, count: number, callers: number): Promise<number> {
  const already = await side.finished();
  const before = performance.now();
  let left = count;
  const call = async () => {
    while (left-- > 0) await side.submit();
  };
  await Promise.all(Array.from({ length: callers }, call));
  const deadline = before + 180_000;
  while ((await side.finished()) < already + count) {
    if (performance.now() > deadline) throw new Error(`${side.name}: not all of ${count} jobs finished within 180 s`);
    await pause(50);
  }
  return count / ((performance.now() - before) / 1000);
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
