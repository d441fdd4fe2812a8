// Liveness is renewal. A claim is renewed while its handler lives, from the first beat that is due, so that a short job pays none; a
// claimant that could not renew stops itself, by its monotonic clock, before anybody else may start.
import { Fault } from '../../core/fault.ts';
import { type Clock, between, later, millis } from '../../core/time.ts';
import type { Claim } from '../claim.ts';
import type { JobStore, Written } from '../ports.ts';
import type { JobRow, Progress } from '../row.ts';
import type { EngineSettings } from '../settings.ts';
import { sendRule } from '../write.ts';

export interface Heartbeats {
  /** Starts renewing the claim's lease; the first beat goes out when it is due, or soon where there is progress to tell of. */
  start(claim: Claim): Heartbeat;
}

export interface Heartbeat {
  /** Aborts on a cancel, on a lost lease, and by the monotonic clock when the lease could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Nothing may be settled any more: somebody else may hold the job. */
  readonly lost: boolean;
  /** Set once a cancel was delivered. */
  readonly cancelReason: string | undefined;
  /** Kept for the next beat, which does not wait for its time where this is the first of a part of the run. */
  progress(progress: Progress): void;
  /** Another part of the run begins: its name is what there is to tell of it until it says more. */
  nextPart(name: string): void;
  /** Stops renewing and waits for the beat under way; await it before a settle. */
  stop(): Promise<void>;
}

export interface HeartbeatDeps {
  readonly store: Pick<JobStore, 'write'>;
  readonly clock: Clock;
  readonly settings: Pick<EngineSettings, 'lease' | 'beat' | 'firstProgress' | 'leaseMargin'>;
  /** Told of each renewal, and of the end of them; the thread passes it on. */
  readonly renewed?: ((row: JobRow) => void) | undefined;
  readonly ended?: ((why: string) => void) | undefined;
}

/** Heartbeats in this process' own event loop: for the embedded queue's tests and simulation, and inside the heartbeat thread. */
export const createHeartbeats = (deps: HeartbeatDeps): Heartbeats => ({
  start: (claim) => startHeartbeat(deps, claim),
});

/** What a heartbeat has come to; shared by the loop here and by its mirror in front of the thread. */
export interface Pulse {
  readonly abort: AbortController;
  lost: boolean;
  cancelReason: string | undefined;
  progress: Progress | undefined;
  /** By the monotonic clock: from when on progress does not wait for its beat. */
  soonFrom: number;
  /** By the monotonic clock: when this claimant must stop itself. */
  deadline: number;
}

export function newPulse({ clock, settings }: Pick<HeartbeatDeps, 'clock' | 'settings'>, claim: Claim): Pulse {
  const left = between(clock.now(), claim.row.leaseUntil ?? clock.now());
  const deadline = clock.monotonic() + Math.min(left, settings.lease) - settings.leaseMargin;
  const soonFrom = clock.monotonic() + settings.firstProgress;
  return {
    abort: new AbortController(),
    lost: false,
    cancelReason: undefined,
    progress: undefined,
    soonFrom,
    deadline,
  };
}

export function lose(pulse: Pulse, why: string): void {
  pulse.lost = true;
  pulse.abort.abort(new Fault('CRASHED', why));
}

export function deliverCancel(pulse: Pulse, reason: string | undefined): void {
  if (reason === undefined || pulse.cancelReason !== undefined) return;
  pulse.cancelReason = reason;
  pulse.abort.abort(new Fault('CANCELLED', reason));
}

/** Why a lease is lost. */
export const UNRENEWED = 'The lease could not be renewed in time.';
const TAKEN = 'The lease is gone.';

function startHeartbeat(deps: HeartbeatDeps, claim: Claim): Heartbeat {
  const pulse = newPulse(deps, claim);
  const stopped = new AbortController();
  const loop = beatUntil(deps, claim, pulse, stopped.signal).then((why) => {
    if (why === undefined) return;
    lose(pulse, why);
    deps.ended?.(why);
  });
  return {
    signal: pulse.abort.signal,
    get lost() {
      return pulse.lost;
    },
    get cancelReason() {
      return pulse.cancelReason;
    },
    progress: (progress) => {
      pulse.progress = progress;
    },
    nextPart: (name) => {
      pulse.progress = { done: 0, total: 0, note: name };
      pulse.soonFrom = deps.clock.monotonic() + deps.settings.firstProgress;
    },
    stop: () => {
      stopped.abort();
      return loop;
    },
  };
}

/** Waits until a beat is due: after `pause`, or as soon as there is the first progress of a part that is not over at once, as most jobs are. */
async function untilDue(
  { clock, settings }: HeartbeatDeps,
  pulse: Pulse,
  pause: number,
  stopped: AbortSignal,
): Promise<void> {
  const dueAt = Math.min(clock.monotonic() + pause, pulse.deadline);
  for (let left = dueAt - clock.monotonic(); left > 0 && !stopped.aborted; left = dueAt - clock.monotonic()) {
    await clock.sleep(millis(Math.min(left, settings.firstProgress)), stopped);
    if (pulse.progress !== undefined && clock.monotonic() >= pulse.soonFrom) return;
  }
}

/** Why the lease is lost, or undefined when it was let go of. */
async function beatUntil(
  deps: HeartbeatDeps,
  claim: Claim,
  pulse: Pulse,
  stopped: AbortSignal,
): Promise<string | undefined> {
  const { clock, settings } = deps;
  let pause: number = settings.beat;
  for (;;) {
    await untilDue(deps, pulse, pause, stopped);
    if (stopped.aborted) return undefined;
    if (clock.monotonic() >= pulse.deadline) return UNRENEWED;
    const answer = await beatOnce(deps, claim, pulse);
    if (answer === 'late') return UNRENEWED;
    if (answer === 'taken') return TAKEN;
    // An answer that did not come is no refusal: try again soon, while the lease lasts.
    pause = answer === 'renewed' ? settings.beat : settings.beat / 5;
  }
}

async function beatOnce(
  deps: HeartbeatDeps,
  claim: Claim,
  pulse: Pulse,
): Promise<'renewed' | 'taken' | 'unanswered' | 'late'> {
  const { clock, settings } = deps;
  const sentAt = clock.monotonic();
  const progress = pulse.progress;
  const leaseUntil = later(clock.now(), settings.lease);
  const answered = new AbortController();
  const sent = sendRule(deps, claim.ref, 'heartbeat', {
    epoch: claim.epoch,
    owner: claim.owner,
    leaseUntil,
    progress,
  }).catch(() => 'unanswered' as const);
  const tooLate = clock.sleep(millis(pulse.deadline - sentAt), answered.signal).then(() => 'late' as const);
  const answer: Written | 'unanswered' | 'late' = await Promise.race([sent, tooLate]);
  // Not before the race is over: the sleep that ends early would win it.
  answered.abort();
  if (typeof answer === 'string') return answer;
  if (answer.kind === 'refused') return 'taken';
  pulse.deadline = sentAt + settings.lease - settings.leaseMargin;
  if (pulse.progress === progress) pulse.progress = undefined;
  if (progress !== undefined && pulse.soonFrom <= sentAt) pulse.soonFrom = Infinity;
  deps.renewed?.(answer.row);
  deliverCancel(pulse, answer.row.cancelRequested);
  return 'renewed';
}
