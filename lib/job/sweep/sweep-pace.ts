// How sweeps treat the services that they ask about many rows: one question a queue, and at most 10 probes a second together.
import { type Clock, millis } from '../../core/time.ts';
import type { Executions, Ringer } from '../ports.ts';

/** Step Functions answers about 15 DescribeExecution calls a second in a small region; the rest is others' share. */
const BETWEEN_PROBES = millis(100);

/** Asks whether a queue is idle once, however many kinds share it; where the queue does not say, it is taken as idle, since one ring too many is harmless. */
export function patientRinger(ringer: Ringer): Ringer {
  const asked = new Map<string, Promise<boolean>>();
  return {
    ring: (...call) => ringer.ring(...call),
    isIdle: (lane, kind) => {
      const key = JSON.stringify([lane, ringer.queueOf?.(kind) ?? kind]);
      const answer = asked.get(key) ?? ringer.isIdle(lane, kind).catch(() => true);
      asked.set(key, answer);
      return answer;
    },
  };
}

/** Lets one probe through at a time, with a pause after each. `share`, over 0 and up to 1, is this sweep's of all probes, as it stands. */
export function pacedExecutions(executions: Executions, clock: Clock, share: () => number): Executions {
  let free: Promise<void> = Promise.resolve();
  const pause = (): Promise<void> => clock.sleep(millis(BETWEEN_PROBES / share()));
  return {
    start: (...call) => executions.start(...call),
    probe: (...call) => {
      const turn = free;
      const answer = turn.then(() => executions.probe(...call));
      free = answer.then(pause, pause);
      return answer;
    },
  };
}
