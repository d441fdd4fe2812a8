// Heartbeats in a worker thread: a handler that blocks its event loop keeps its lease, and one whose main thread has answered no ping
// for `stallAfter` loses it. The main thread aborts by its own monotonic clock all the same, should the thread fall silent.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { asError } from '../../core/check.ts';
import type { Log } from '../../core/log.ts';
import { between, type Clock, epochMs, later, millis } from '../../core/time.ts';
import type { Claim } from '../claim.ts';
import { deliverCancel, type Heartbeat, type Heartbeats, lose, newPulse, type Pulse, UNRENEWED } from './heartbeat.ts';
import type { BeaterData, BeaterSettings, Order, Report } from './heartbeat-beater.ts';

export { runHeartbeatThread } from './heartbeat-beater.ts';

export interface ThreadOptions {
  /** The thread's entry file, which calls runHeartbeatThread. */
  readonly threadFile: URL;
  /** Cloned for the thread: what it needs to make its own store client. */
  readonly threadData: unknown;
  readonly clock: Clock;
  readonly settings: BeaterSettings;
  readonly log: Log;
}

/** One claim's heartbeat as the main thread sees it. */
interface Mirror {
  readonly claim: Claim;
  readonly pulse: Pulse;
  readonly stopped: AbortController;
  /** Resolves when the thread renews it no more. */
  readonly quiet: PromiseWithResolvers<unknown>;
}

interface Beater {
  readonly worker: Worker;
  readonly port: MessagePort;
}

interface Front extends ThreadOptions {
  readonly mirrors: Map<number, Mirror>;
  beater: Beater | undefined;
  nextKey: number;
  closed: boolean;
}

/** One thread for all claims of this process, started with the first; it never keeps the process alive. */
export function createThreadedHeartbeats(options: ThreadOptions): Heartbeats & AsyncDisposable {
  const front: Front = { ...options, mirrors: new Map(), beater: undefined, nextKey: 0, closed: false };
  return {
    start: (claim) => startMirror(front, claim),
    [Symbol.asyncDispose]: async () => {
      front.closed = true;
      await front.beater?.worker.terminate();
    },
  };
}

function startMirror(front: Front, claim: Claim): Heartbeat {
  const key = front.nextKey++;
  const stopped = new AbortController();
  const mirror: Mirror = { claim, pulse: newPulse(front, claim), stopped, quiet: Promise.withResolvers() };
  front.mirrors.set(key, mirror);
  order(front, { do: 'start', key, claim });
  void watch(front, mirror);
  return {
    signal: mirror.pulse.abort.signal,
    get lost() {
      return mirror.pulse.lost;
    },
    get cancelReason() {
      return mirror.pulse.cancelReason;
    },
    progress: (progress) => order(front, { do: 'progress', key, progress }),
    nextPart: (name) => order(front, { do: 'next-part', key, name }),
    stop: async () => {
      order(front, { do: 'stop', key });
      await Promise.race([mirror.quiet.promise, untilDeadline(front, mirror)]);
      stopped.abort();
      front.mirrors.delete(key);
    },
  };
}

const over = (stopped: AbortController): boolean => stopped.signal.aborted;

/** Loses the lease by this thread's own clock, unless a renewal came in time; one may lie unread while this thread was blocked. */
async function watch(front: Front, { pulse, stopped }: Mirror): Promise<void> {
  while (!over(stopped) && !pulse.lost) {
    await front.clock.sleep(millis(Math.max(0, pulse.deadline - front.clock.monotonic())), stopped.signal);
    readAll(front);
    if (!over(stopped) && front.clock.monotonic() >= pulse.deadline) lose(pulse, UNRENEWED);
  }
}

const untilDeadline = ({ clock }: Front, { pulse, stopped }: Mirror): Promise<void> =>
  clock.sleep(millis(Math.max(0, pulse.deadline - clock.monotonic())), stopped.signal);

function readAll(front: Front): void {
  const port = front.beater?.port;
  for (let next = port && receiveMessageOnPort(port); next !== undefined; next = port && receiveMessageOnPort(port))
    read(front, next.message as Report);
}

function read(front: Front, report: Report): void {
  if (report.tell === 'ping') return order(front, { do: 'pong' });
  const mirror = front.mirrors.get(report.key);
  if (mirror === undefined) return;
  if (report.tell === 'renewed') renew(front, mirror.pulse, report);
  else mirror.quiet.resolve(undefined);
  if (report.tell === 'lost') lose(mirror.pulse, report.why);
}

function renew({ clock, settings }: Front, pulse: Pulse, report: Extract<Report, { tell: 'renewed' }>): void {
  const left = Math.min(settings.lease, between(clock.now(), epochMs(report.leaseUntil)));
  pulse.deadline = Math.max(pulse.deadline, clock.monotonic() + left - settings.leaseMargin);
  deliverCancel(pulse, report.cancelRequested);
}

function order(front: Front, message: Order): void {
  if (front.closed) return;
  front.beater ??= startThread(front);
  front.beater.port.postMessage(message);
}

function startThread(front: Front): Beater {
  const { port1, port2 } = new MessageChannel();
  const data: BeaterData = { port: port2, settings: beaterSettings(front.settings), threadData: front.threadData };
  const worker = new Worker(front.threadFile, { workerData: data, transferList: [port2] });
  worker.unref();
  port1.on('message', (report: Report) => read(front, report));
  port1.unref();
  worker.on('error', (error) => front.log.error('The heartbeat thread failed.', { error: asError(error).message }));
  worker.on('exit', () => void replaceThread(front));
  return { worker, port: port1 };
}

const beaterSettings = ({ lease, beat, firstProgress, leaseMargin, stallAfter }: BeaterSettings): BeaterSettings => ({
  lease,
  beat,
  firstProgress,
  leaseMargin,
  stallAfter,
});

/** A thread that died is replaced while the leases that it renewed still last. */
async function replaceThread(front: Front): Promise<void> {
  front.beater?.port.close();
  await front.clock.sleep(millis(front.settings.beat / 5));
  front.beater = undefined;
  for (const [key, mirror] of front.mirrors)
    if (!over(mirror.stopped)) order(front, { do: 'start', key, claim: asRenewed(front, mirror) });
}

/** The claim with the lease as last renewed. */
function asRenewed({ clock, settings }: Front, { claim, pulse }: Mirror): Claim {
  const left = pulse.deadline + settings.leaseMargin - clock.monotonic();
  return { ...claim, row: { ...claim.row, leaseUntil: later(clock.now(), millis(left)) } };
}
