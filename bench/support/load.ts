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
  /** Whether the job is finished: one read of one item on either side. */
  isFinished(id: string): Promise<boolean>;
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

/**
 * Jobs per second from the first submit to the last finish, with `callers` side by side. The finishes are looked for once all are
 * submitted, job by job, so that looking costs the emulator as much on either side.
 */
export async function measureRate(side: Side, count: number, callers: number): Promise<number> {
  const before = performance.now();
  const ids: string[] = [];
  let left = count;
  const call = async () => {
    while (left-- > 0) ids.push(await side.submit());
  };
  await Promise.all(Array.from({ length: callers }, call));
  for (const id of ids) await untilFinished(side, id, before + 180_000);
  return count / ((performance.now() - before) / 1000);
}

async function untilFinished(side: Side, id: string, deadline: number): Promise<void> {
  while (!(await side.isFinished(id))) {
    if (performance.now() > deadline) throw new Error(`${side.name}: job ${id} did not finish within 180 s`);
    await pause(20);
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
