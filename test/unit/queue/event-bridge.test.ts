import type { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import { epochMs } from '../../../lib/core/time.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import { createEventBridge } from '../../../lib/queue/event-bridge.ts';

type Entry = { readonly ErrorCode?: string };

/** Answers each request with as many entries as it had, or those that are given by their place. */
function aBus(answers: Readonly<Record<number, Entry>> = {}, thrown?: Error) {
  const requests: PutEventsCommand['input'][] = [];
  let sent = 0;
  const send = async ({ input }: PutEventsCommand) => {
    if (thrown !== undefined) throw thrown;
    requests.push(input);
    return { Entries: (input.Entries ?? []).map(() => answers[sent++] ?? { EventId: 'e' }) };
  };
  return { announcer: createEventBridge({ send } as never), requests };
}
const some = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ type: 'job.dead', at: epochMs(1000), detail: { id: `job#${n}` } }));

describe('EventBridge', () => {
  it('is sent ten at a time, under the source millrace, at the time of what happened', async () => {
    const { announcer, requests } = aBus();
    expect(await announcer.announce(some(12))).toEqual([]);
    expect(requests.map(({ Entries }) => Entries?.length)).toEqual([10, 2]);
    expect(requests[1]?.Entries?.[1]).toEqual({
      ...{ Source: 'millrace', DetailType: 'job.dead', Time: new Date(1000), Detail: '{"id":"job#11"}' },
    });
  });

  it('says which were throttled, by their place among all', async () => {
    const { announcer } = aBus({ 3: { ErrorCode: 'ThrottlingException' }, 11: { ErrorCode: 'InternalFailure' } });
    expect(await announcer.announce(some(12))).toEqual([3, 11]);
  });

  it('throws for what it will never take, after the rest was taken', async () => {
    const { announcer, requests } = aBus({ 0: { ErrorCode: 'MalformedDetail' } });
    await expect(announcer.announce(some(12))).rejects.toThrow('MalformedDetail');
    expect(requests).toHaveLength(2);
  });

  it('says that it is unavailable where it does not answer', async () => {
    const outage = Object.assign(new Error('slow'), { name: 'ThrottlingException' });
    await expect(aBus({}, outage).announcer.announce(some(1))).rejects.toThrow(StoreUnavailable);
    await expect(aBus({}, new Error('denied')).announcer.announce(some(1))).rejects.toThrow('denied');
  });
});
