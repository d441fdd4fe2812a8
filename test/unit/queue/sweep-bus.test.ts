import type { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { describe, expect, it } from 'vitest';
import { createSweepBus, handedRest } from '../../../lib/queue/sweep-bus.ts';

function aBus(answer: object) {
  const sent: PutEventsCommand['input'][] = [];
  const send = async ({ input }: PutEventsCommand) => {
    sent.push(input);
    return { Entries: [answer] };
  };
  return { handOn: createSweepBus({ client: { send } as never, table: 'rows' }), sent };
}
const rest = { shard: 15, after: 'there' };
const delivered = (detail: object) => ({ source: 'millrace.sweep', 'detail-type': 'sweep.rest', detail });

describe('the rest of a shard', () => {
  it('is an event of its own source that names the table, and is read back by who is started with it', async () => {
    const { handOn, sent } = aBus({ EventId: 'e' });
    await handOn(rest);
    const [entry] = sent[0]?.Entries ?? [];
    expect(sent).toEqual([
      { Entries: [{ Source: 'millrace.sweep', DetailType: 'sweep.rest', Detail: entry?.Detail }] },
    ]);
    const detail = JSON.parse(entry?.Detail ?? '') as object;
    expect(detail).toEqual({ table: 'rows', ...rest });
    expect(handedRest(delivered(detail))).toEqual(rest);
  });

  it('stays with who asked where the bus refuses it', async () => {
    const refused = { ErrorCode: 'ThrottlingException', ErrorMessage: 'too fast' };
    await expect(aBus(refused).handOn(rest)).rejects.toThrow('ThrottlingException too fast');
  });

  it('is no other event: then every shard is swept', () => {
    for (const shard of [-1, 16, 1.5, '3']) expect(handedRest(delivered({ ...rest, shard }))).toBeUndefined();
    expect(handedRest(delivered({ shard: 1 }))).toBeUndefined();
    expect(handedRest({ 'detail-type': 'Scheduled Event', detail: {} })).toBeUndefined();
    expect(handedRest({})).toBeUndefined();
    expect(handedRest(undefined)).toBeUndefined();
  });
});
