import { describe, expect, it } from 'vitest';
import type { Epoch, JobId, TenantId, WorkspaceId } from '../../../lib/core/ids.ts';
import { millis, seconds } from '../../../lib/core/time.ts';
import type { Doorbell } from '../../../lib/job/ports.ts';
import { createEmbeddedQueue, type Delivery, type Handler } from '../../../lib/queue/embedded.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const bell = (id: string, tenant = 't'): Doorbell => ({
  ref: { tenant: tenant as TenantId, workspace: 'w' as WorkspaceId, id: id as unknown as JobId },
  epoch: 1 as Epoch,
});
const turns = () => new Promise((resolve) => setImmediate(resolve));

/** A handler whose deliveries end when the test says so. */
function heldHandler() {
  const deliveries: (Delivery & { end(answer?: { again: ReturnType<typeof millis> }): void; fail(): void })[] = [];
  const handler: Handler = (delivery) =>
    new Promise((resolve, reject) => {
      deliveries.push({ ...delivery, end: (answer) => resolve(answer), fail: () => reject(new Error('failed')) });
    });
  const ids = () => deliveries.map((each) => each.bell.ref.id as string);
  return { deliveries, handler, ids };
}

describe('the embedded queue', () => {
  it('delivers no more side by side than it is asked to, the oldest first', async () => {
    const clock = createManualClock();
    const queue = createEmbeddedQueue({ clock });
    const { deliveries, handler, ids } = heldHandler();
    for (const id of ['a', 'b', 'c']) await queue.ring(bell(id), 'default', 'k');
    const consumer = queue.consume(handler, { concurrency: 2, visibility: seconds(60) });
    await turns();
    expect(ids()).toEqual(['a', 'b']);
    deliveries[0]!.end();
    await turns();
    expect(ids()).toEqual(['a', 'b', 'c']);
    for (const each of deliveries) each.end();
    await consumer.stop();
  });

  it('tells how many messages of a lane could be heard now', async () => {
    const queue = createEmbeddedQueue({ clock: createManualClock() });
    await queue.ring(bell('a', 'a'), 'default', 'k');
    await queue.ring(bell('b', 'b'), 'default', 'k');
    await queue.ring(bell('c'), 'default', 'k', seconds(5));
    expect(await queue.lanes()).toEqual([
      { queue: queue.queueOf('k'), lane: 'default', waiting: 2 },
      { queue: queue.queueOf('k'), lane: 'due', waiting: 0 },
    ]);
  });

  it('serves tenants in turn, so that nobody waits behind the backlog of another', async () => {
    const queue = createEmbeddedQueue({ clock: createManualClock() });
    const { deliveries, handler, ids } = heldHandler();
    for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) await queue.ring(bell(id, 'a'), 'default', 'k');
    await queue.ring(bell('b1', 'b'), 'default', 'k');
    const consumer = queue.consume(handler, { concurrency: 2, visibility: seconds(60) });
    await turns();
    expect(ids()).toEqual(['a1', 'b1']);
    await queue.ring(bell('c1', 'c'), 'default', 'k');
    for (let index = 0; index < 7; index++) {
      deliveries[index]!.end();
      await turns();
    }
    await consumer.stop();
    expect(ids().indexOf('c1')).toBeLessThanOrEqual(3);
    expect(ids()).toHaveLength(7);
  });

  it('delivers on the due lane while the default lane is full', async () => {
    const queue = createEmbeddedQueue({ clock: createManualClock() });
    const { deliveries, handler, ids } = heldHandler();
    const consumer = queue.consume(handler, { concurrency: 1, visibility: seconds(60) });
    await queue.ring(bell('slow'), 'default', 'k');
    await queue.ring(bell('next'), 'default', 'k');
    await turns();
    await queue.ring(bell('timer'), 'due', 'k');
    await turns();
    expect(ids()).toEqual(['slow', 'timer']);
    for (let index = 0; index < 3; index++) {
      deliveries[index]!.end();
      await turns();
    }
    await consumer.stop();
  });

  it('delivers a message again when its visibility ends before its handler does, or when the handler throws', async () => {
    const clock = createManualClock();
    const queue = createEmbeddedQueue({ clock });
    const { deliveries, handler } = heldHandler();
    const errors: string[] = [];
    const onError = (error: Error, { receiveCount }: Delivery) => void errors.push(`${receiveCount} ${error.message}`);
    const consumer = queue.consume(handler, { concurrency: 3, visibility: seconds(60), onError });
    await queue.ring(bell('a'), 'default', 'k');
    await turns();
    await clock.advance(millis(59_999));
    expect(deliveries).toHaveLength(1);
    await clock.advance(millis(1));
    expect(deliveries.map(({ receiveCount }) => receiveCount)).toEqual([1, 2]);
    deliveries[1]!.fail();
    await turns();
    expect(errors).toEqual(['2 failed']);
    await clock.advance(seconds(60));
    expect(deliveries.map(({ receiveCount }) => receiveCount)).toEqual([1, 2, 3]);
    deliveries[0]!.end();
    deliveries[2]!.end({ again: seconds(1) });
    await turns();
    await clock.advance(seconds(300));
    expect(deliveries).toHaveLength(3);
    await consumer.stop();
  });

  it('gives a message back for as long as the handler says', async () => {
    const clock = createManualClock();
    const queue = createEmbeddedQueue({ clock });
    const { deliveries, handler } = heldHandler();
    const consumer = queue.consume(handler, { concurrency: 1, visibility: seconds(60) });
    await queue.ring(bell('a'), 'default', 'k');
    await turns();
    deliveries[0]!.end({ again: seconds(5) });
    await turns();
    await clock.advance(millis(4_999));
    expect(deliveries).toHaveLength(1);
    await clock.advance(millis(1));
    expect(deliveries).toHaveLength(2);
    deliveries[1]!.end();
    await consumer.stop();
  });

  it('begins nothing after stop, or the signal, and stop waits for what is under way', async () => {
    const queue = createEmbeddedQueue({ clock: createManualClock() });
    const { deliveries, handler } = heldHandler();
    const abort = new AbortController();
    const consumer = queue.consume(handler, { concurrency: 1, visibility: seconds(60), signal: abort.signal });
    await queue.ring(bell('a'), 'default', 'k');
    await turns();
    abort.abort();
    await queue.ring(bell('b'), 'due', 'k');
    let stopped = false;
    const stopping = consumer.stop().then(() => {
      stopped = true;
    });
    await turns();
    expect([deliveries.length, stopped]).toEqual([1, false]);
    deliveries[0]!.end();
    await stopping;
    expect(await queue.isIdle('due', 'k')).toBe(false);
  });

  it('drops a message that was delivered a hundred times: the sweep rings for its row', async () => {
    const clock = createManualClock();
    const queue = createEmbeddedQueue({ clock });
    let count = 0;
    const handler: Handler = async () => {
      count += 1;
      return { again: millis(1) };
    };
    const consumer = queue.consume(handler, { concurrency: 1, visibility: seconds(60) });
    await queue.ring(bell('a'), 'default', 'k');
    await turns();
    for (let round = 0; round < 120; round++) await clock.advance(millis(1));
    expect(count).toBe(100);
    await consumer.stop();
  });
});
