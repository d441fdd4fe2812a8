// Waiting for a signal: no process waits. The run ends, the job parks, and its handler runs again from its start once the signal is there
// or the time is over; whichever came first is what every later run reads.
import { Fault } from '../../core/fault.ts';
import { type DurationMs, type EpochMs, epochMs, later } from '../../core/time.ts';
import type { Engine } from '../engine.ts';
import { loadPayload } from '../payload.ts';
import { type JobRow, refOf } from '../row.ts';
import { readSignal, SIGNAL_NAME, signalReason, type Told, timeOutSignal, unsaid } from '../waits/signal.ts';
import { untilAnswered } from '../write.ts';
import { type Parking, refuseInsideStep } from './interrupt.ts';
import type { Steps } from './step.ts';
import type { WaitOptions } from './types.ts';

/** The signal did not come in time. Uncaught, it fails the job. */
export class WaitTimedOut extends Fault {
  readonly signal: string;

  constructor(signal: string) {
    super('WAIT_TIMED_OUT', `The signal ${signal} did not come in time.`);
    this.signal = signal;
  }
}

interface Waiter {
  readonly engine: Engine;
  readonly row: JobRow;
  readonly parking: Parking;
  readonly steps: Steps;
  readonly signal: AbortSignal;
}

/** `ctx.waitFor`. */
export async function waitFor(waiter: Waiter, name: string, { timeout }: WaitOptions = {}): Promise<unknown> {
  const { engine, row, parking, signal } = waiter;
  refuseInsideStep('ctx.waitFor');
  signal.throwIfAborted();
  if (typeof name !== 'string' || !SIGNAL_NAME.test(name))
    throw new Fault(
      'HANDLER_INVALID',
      'The name of a signal is 1 to 100 letters, digits and . _ : / -, and starts with one of the first two.',
    );
  if (timeout !== undefined && !(timeout > 0))
    throw new Fault('HANDLER_INVALID', `The time-out of the wait for ${name} must be a length of time above zero.`);
  const answer = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered(engine, engine.settings.lease, ask);
  const told = await answer(() => readSignal(engine, row, name));
  if (told !== undefined) return heard(waiter, name, told);
  const until = timeout === undefined ? undefined : await deadlineOf(waiter, name, timeout);
  if (until !== undefined && until <= engine.clock.now())
    return heard(waiter, name, await answer(() => timeOutSignal(engine, row, name)));
  return parking.park({ kind: 'park', reason: signalReason(name), until, checks: [unsaid(row, name)] });
}

/** When the wait is over: kept by the first run of this life that waited. */
async function deadlineOf({ engine, row, steps }: Waiter, name: string, timeout: DurationMs): Promise<EpochMs> {
  const until = later(engine.clock.now(), timeout);
  return epochMs(await steps.keep(`wait:${row.redrives ?? 0}:${name}`, () => until as number));
}

async function heard({ engine, row }: Waiter, name: string, told: Told): Promise<unknown> {
  if (told.kind === 'timed out') throw new WaitTimedOut(name);
  return untilAnswered(engine, engine.settings.lease, () => loadPayload(engine, refOf(row), told.payload));
}
