// Rests of shards as events on the account's default bus, whose rule starts the reaper again. The reaper never hands on what it was
// handed, so no chain of invocations can grow.
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import * as z from 'zod';
import { sweepDetailType, sweepSource } from '../config/sweep-event.ts';
import { DUE_SHARDS } from '../job/ports.ts';
import type { HandOn, ShardRest } from '../job/sweep/reaper.ts';

export interface SweepBusOptions {
  readonly client: Pick<EventBridgeClient, 'send'>;
  /** The rule takes up the events of its own table: another stack of the account has another. */
  readonly table: string;
}

/** Throws an Error where the bus does not take it. */
export const createSweepBus =
  ({ client, table }: SweepBusOptions): HandOn =>
  async (rest) => {
    const Detail = JSON.stringify({ table, ...rest });
    const entry = { Source: sweepSource, DetailType: sweepDetailType, Detail };
    const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: [entry] }));
    const refusal = Entries.find(({ ErrorCode }) => ErrorCode !== undefined);
    if (refusal !== undefined) throw new Error(`${refusal.ErrorCode ?? ''} ${refusal.ErrorMessage ?? ''}`.trimEnd());
  };

const handedSchema = z.object({
  'detail-type': z.literal(sweepDetailType),
  detail: z.object({
    shard: z
      .int()
      .min(0)
      .max(DUE_SHARDS - 1),
    after: z.string().min(1),
  }),
});

/** The rest that an event hands on; undefined for any other event, such as the one of each minute. */
export const handedRest = (event: unknown): ShardRest | undefined => handedSchema.safeParse(event).data?.detail;
