// The queue of the embedded mode, with what SQS does: delay, visibility, redelivery, a receive count. It is kept in memory, since a
// lost message is one lost doorbell, and the sweep rings again.
import { asError } from '../core/check.ts';
import { type Clock, type DurationMs, type EpochMs, later, millis, seconds } from '../core/time.ts';
import type { TenantId } from '../core/ids.ts';
import type { Backlogs } from '../job/health/backlog.ts';
import type { Doorbell, Ringer } from '../job/ports.ts';
import { type Lane, laneSchema } from '../job/row.ts';

export interface Delivery {
  readonly bell: Doorbell;
  readonly lane: Lane;
  readonly kind: string;
  /** 1 at the first delivery. */
  readonly receiveCount: number;
}

/** Resolves when the message is done with; `again` gives it back for a later delivery. A rejection leaves it until its visibility ends. */
export type Handler = (delivery: Delivery) => Promise<{ readonly again: DurationMs } | undefined>;

export interface ConsumeOptions {
  /** Deliveries side by side, per lane. */
  readonly concurrency: number;
  /** The lanes to hear; both when left out. Each has its own slots, so that `due` never waits behind `default`. */
  readonly lanes?: readonly Lane[];
  /** How long a delivery keeps others from the message. */
  readonly visibility: DurationMs;
  /** Aborted: no new delivery begins, as by `stop`. */
  readonly signal?: AbortSignal;
  /** Told of a handler that threw. */
  readonly onError?: (error: Error, delivery: Delivery) => void;
}

export interface Consumer {
  /** No new delivery begins; resolves when those under way have ended. */
  stop(): Promise<void>;
}

export interface EmbeddedQueue extends Omit<Ringer, 'queueOf'>, Backlogs {
  consume(handler: Handler, options: ConsumeOptions): Consumer;
}

interface Message {
  readonly bell: Doorbell;
  readonly kind: string;
  visibleAt: EpochMs;
  receiveCount: number;
}

interface LaneQueue {
  readonly lane: Lane;
  /** The messages of each tenant that has some; whoever was served last comes last. */
  readonly tenants: Map<TenantId, Set<Message>>;
  /** Wakes the lane's consumers to look again. */
  readonly wakers: Set<() => void>;
}

/** After so many deliveries a message is dropped: the row is the truth, and the sweep rings for it if it is due. */
const RECEIVE_LIMIT = 100;
const LONGEST_WAIT = seconds(60);
/** One process hears all. */
const WORKER = 'worker';

/**
 * @example
 * const queue = createEmbeddedQueue({ clock });
 * const consumer = queue.consume(async ({ bell }) => work(bell), { concurrency: 4, visibility: seconds(60) });
 */
export function createEmbeddedQueue({ clock }: { readonly clock: Clock }): EmbeddedQueue {
  const put = (bell: Doorbell, lane: Lane, kind: string, delay: DurationMs) => {
    messagesOf(lanes[lane], bell.ref.tenant).add({ bell, kind, visibleAt: later(clock.now(), delay), receiveCount: 0 });
    wake(lanes[lane]);
  };
  const newLane = (lane: Lane): LaneQueue => ({ lane, tenants: new Map(), wakers: new Set() });
  const lanes: Record<Lane, LaneQueue> = { default: newLane('default'), due: newLane('due') };
  return {
    ring: async (bell, lane, kind, delay = millis(0)) => put(bell, lane, kind, delay),
    ringMany: async (rings) => {
      for (const { bell, lane, kind, delay } of rings) put(bell, lane, kind, delay);
      return [];
    },
    isIdle: async (lane) =>
      [...lanes[lane].tenants.values()].every((some) => [...some].every((each) => !isVisible(each, clock.now()))),
    queueOf: () => WORKER,
    lanes: async () =>
      laneSchema.options.map((lane) => {
        const messages = [...lanes[lane].tenants.values()].flatMap((some) => [...some]);
        return { queue: WORKER, lane, waiting: messages.filter((each) => isVisible(each, clock.now())).length };
      }),
    consume: (handler, options) => {
      const heard = options.lanes ?? laneSchema.options;
      const consumers = heard.map((lane) => consumeLane(lanes[lane], clock, handler, options));
      return { stop: () => Promise.all(consumers.map((each) => each.stop())).then(() => undefined) };
    },
  };
}

function messagesOf({ tenants }: LaneQueue, tenant: TenantId): Set<Message> {
  const messages = tenants.get(tenant) ?? new Set();
  tenants.set(tenant, messages);
  return messages;
}

function remove({ tenants }: LaneQueue, message: Message): void {
  const { tenant } = message.bell.ref;
  tenants.get(tenant)?.delete(message);
  if (tenants.get(tenant)?.size === 0) tenants.delete(tenant);
}

const isVisible = (message: Message, now: EpochMs): boolean => message.visibleAt <= now;
const wake = (queue: LaneQueue): void => queue.wakers.forEach((waker) => waker());

function consumeLane(queue: LaneQueue, clock: Clock, handler: Handler, options: ConsumeOptions): Consumer {
  const stopped = new AbortController();
  const signal = options.signal === undefined ? stopped.signal : AbortSignal.any([stopped.signal, options.signal]);
  const underWay = new Set<Promise<void>>();
  const start = (message: Message) => {
    const delivered = deliver(queue, message, clock, handler, options).finally(() => {
      underWay.delete(delivered);
      wake(queue);
    });
    underWay.add(delivered);
  };
  const loop = async () => {
    while (!signal.aborted) {
      takeVisible(queue, clock.now(), options.concurrency - underWay.size).forEach(start);
      const wait = untilNext(queue, clock.now(), underWay.size < options.concurrency);
      await untilChange(queue, clock, wait, signal);
    }
    await Promise.all(underWay);
  };
  const ended = loop();
  return {
    stop: async () => {
      stopped.abort();
      await ended;
    },
  };
}

/** Sleeps until a message is visible, came, or was given back, or the consumer stops. */
async function untilChange(queue: LaneQueue, clock: Clock, wait: DurationMs, signal: AbortSignal): Promise<void> {
  const change = new AbortController();
  const waker = () => change.abort();
  queue.wakers.add(waker);
  await clock.sleep(wait, AbortSignal.any([change.signal, signal]));
  queue.wakers.delete(waker);
}

/**
 * The oldest of each tenant in turn, so that nobody waits behind another's backlog. It stops at the first `room` of them, so that a long
 * backlog costs a delivery nothing.
 */
function takeVisible({ tenants }: LaneQueue, now: EpochMs, room: number): Message[] {
  const taken: Message[] = [];
  const waiting = [...tenants.values()].map((messages) => visibleOf(messages, now));
  for (let turn = waiting.shift(); turn !== undefined && taken.length < room; turn = waiting.shift()) {
    const message = turn.next();
    if (message.done === true) continue;
    taken.push(message.value);
    waiting.push(turn);
  }
  for (const { bell } of taken) moveBack(tenants, bell.ref.tenant);
  return taken;
}

function* visibleOf(messages: Iterable<Message>, now: EpochMs): Generator<Message, undefined> {
  for (const message of messages) if (isVisible(message, now)) yield message;
}

function moveBack<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

function untilNext(queue: LaneQueue, now: EpochMs, hasRoom: boolean): DurationMs {
  if (!hasRoom) return LONGEST_WAIT;
  let next = Infinity;
  for (const messages of queue.tenants.values()) for (const each of messages) next = Math.min(next, each.visibleAt);
  return millis(Math.min(LONGEST_WAIT, Math.max(0, next - now)));
}

async function deliver(
  queue: LaneQueue,
  message: Message,
  clock: Clock,
  handler: Handler,
  { visibility, onError }: ConsumeOptions,
): Promise<void> {
  message.receiveCount += 1;
  message.visibleAt = later(clock.now(), visibility);
  const { bell, kind, receiveCount } = message;
  const delivery = { bell, kind, lane: queue.lane, receiveCount };
  try {
    const answer = await handler(delivery);
    if (answer === undefined) remove(queue, message);
    else if (message.receiveCount === receiveCount) message.visibleAt = later(clock.now(), answer.again);
  } catch (thrown) {
    onError?.(asError(thrown), delivery);
  }
  if (receiveCount >= RECEIVE_LIMIT) remove(queue, message);
}
