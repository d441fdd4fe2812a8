// What each part of a run took: the time and the processor of this process between one mark and the next.
import { systemClock } from '../../lib/core/time.ts';

export interface Lap {
  readonly name: string;
  readonly ms: number;
  /** Of all threads, user and system. */
  readonly cpuMs: number;
}

export interface Marks {
  readonly laps: readonly Lap[];
  /** Ends the lap of this name and begins the next. */
  mark(name: string): void;
}

/** Begins the first lap. */
export function startMarks(): Marks {
  const laps: Lap[] = [];
  let at = systemClock.monotonic();
  let used = process.cpuUsage();
  return {
    laps,
    mark: (name) => {
      const [now, { user, system }] = [systemClock.monotonic(), process.cpuUsage(used)];
      laps.push({ name, ms: now - at, cpuMs: (user + system) / 1000 });
      at = now;
      used = process.cpuUsage();
    },
  };
}
