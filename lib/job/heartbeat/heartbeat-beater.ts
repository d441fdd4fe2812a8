// The thread's half of the threaded heartbeats: it renews with a store client of its own while the main thread answers its pings.
import { parentPort, type MessagePort, workerData } from 'node:worker_threads';
import { must } from '../../core/check.ts';
import { type Clock, millis, systemClock } from '../../core/time.ts';
import type { Claim } from '../claim.ts';
import { createHeartbeats, type Heartbeat } from './heartbeat.ts';
import type { JobStore } from '../ports.ts';
import type { Progress } from '../row.ts';
import type { EngineSettings } from '../settings.ts';

/** From the main thread. `key` names one heartbeat. */
export type Order =
  | { readonly do: 'start'; readonly key: number; readonly claim: Claim }
  | { readonly do: 'progress'; readonly key: number; readonly progress: Progress }
  | { readonly do: 'next-part'; readonly key: number; readonly name: string }
  | { readonly do: 'stop'; readonly key: number }
  | { readonly do: 'pong' };

/** To the main thread. */
export type Report =
  | { readonly tell: 'renewed'; readonly key: number; readonly leaseUntil: number; readonly cancelRequested?: string }
  | { readonly tell: 'lost'; readonly key: number; readonly why: string }
  | { readonly tell: 'stopped'; readonly key: number }
  | { readonly tell: 'ping' };

export type BeaterSettings = Pick<EngineSettings, 'lease' | 'beat' | 'firstProgress' | 'leaseMargin' | 'stallAfter'>;

export interface BeaterData {
  /** A port of its own, since the main thread must be able to read it without waiting for its event loop. */
  readonly port: MessagePort;
  readonly settings: BeaterSettings;
  /** What the thread's entry file needs to make its store. */
  readonly threadData: unknown;
}

const STALLED = 'The main thread answered no ping.';

/**
 * The body of the thread's entry file: `runHeartbeatThread((data) => createStore(data))`, where `data` is the `threadData` that
 * createThreadedHeartbeats was given. Throws a TypeError outside a worker thread.
 */
export function runHeartbeatThread(makeStore: (threadData: unknown) => Pick<JobStore, 'write'>): void {
  must(parentPort, 'a worker thread around it');
  const { port, settings, threadData } = workerData as BeaterData;
  runBeater(port, { store: makeStore(threadData), clock: systemClock, settings });
}

interface BeaterDeps {
  readonly store: Pick<JobStore, 'write'>;
  readonly clock: Clock;
  readonly settings: BeaterSettings;
}

function runBeater(port: MessagePort, deps: BeaterDeps): void {
  const beats = new Map<number, Heartbeat>();
  const heard = { at: deps.clock.monotonic() };
  const tell = (report: Report) => port.postMessage(report);
  port.on('message', (order: Order) => {
    heard.at = deps.clock.monotonic();
    if (order.do === 'start') beats.set(order.key, startBeat(deps, order, tell));
    if (order.do === 'progress') beats.get(order.key)?.progress(order.progress);
    if (order.do === 'next-part') beats.get(order.key)?.nextPart(order.name);
    if (order.do === 'stop') void stopBeat(beats, order.key).then(() => tell({ tell: 'stopped', key: order.key }));
  });
  void pingWhileBeating(deps, beats, heard, tell);
}

function startBeat(deps: BeaterDeps, { key, claim }: Extract<Order, { do: 'start' }>, tell: (report: Report) => void) {
  return createHeartbeats({
    ...deps,
    renewed: ({ leaseUntil = 0, cancelRequested }) =>
      tell({ tell: 'renewed', key, leaseUntil, ...(cancelRequested === undefined ? {} : { cancelRequested }) }),
    ended: (why) => tell({ tell: 'lost', key, why }),
  }).start(claim);
}

async function stopBeat(beats: Map<number, Heartbeat>, key: number): Promise<void> {
  const beat = beats.get(key);
  beats.delete(key);
  await beat?.stop();
}

/** Any order shows that the main thread lives; while there is nothing to renew, nobody needs to. */
async function pingWhileBeating(
  { clock, settings }: BeaterDeps,
  beats: Map<number, Heartbeat>,
  heard: { at: number },
  tell: (report: Report) => void,
): Promise<never> {
  for (;;) {
    await clock.sleep(millis(Math.min(settings.beat, settings.stallAfter / 4)));
    if (beats.size === 0) heard.at = clock.monotonic();
    else tell({ tell: 'ping' });
    if (clock.monotonic() - heard.at <= settings.stallAfter) continue;
    for (const key of [...beats.keys()]) {
      await stopBeat(beats, key);
      tell({ tell: 'lost', key, why: STALLED });
    }
  }
}
