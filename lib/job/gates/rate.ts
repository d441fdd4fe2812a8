// How often jobs of a key may start: the generic cell rate algorithm (GCRA, ITU-T I.371), which keeps a time instead of a count. A start
// that comes too early reserves its time, so that nobody polls: `tat` is the end of what is reserved, `ran` the end of what has run.
// A run that comes late, after a pause or an outage, is held to `ran`, or all that was reserved meanwhile would start at once.
import * as z from 'zod';
import type { Scope } from '../../core/ids.ts';
import { type EpochMs, epochMs, hours, later, seconds, toEpochSeconds } from '../../core/time.ts';
import type { Row } from '../../rule/rule.ts';
import type { TransactWrite } from '../ports.ts';
import type { Rate } from '../row.ts';
import type { SideRef } from '../side/side.ts';

const bucketSchema = z.object({ tat: z.number(), ran: z.number(), moves: z.number() });
type Bucket = z.infer<typeof bucketSchema>;

/** What one start may be late without holding up the next; so in w seconds at most burst + perMinute · (w + 5) / 60 start. */
const SLACK = seconds(5);

export const bucketOf = ({ tenant, workspace }: Scope, key: string): SideRef => ({
  tenant,
  workspace,
  family: 'rate',
  group: '',
  name: key,
});

export const bucketIn = (row: Row | undefined): Bucket =>
  row === undefined ? { tat: 0, ran: 0, moves: 0 } : bucketSchema.parse(row);

export type RatePlan =
  | { readonly kind: 'start'; readonly bucket: Bucket }
  /** Its time is `until`, which `bucket` reserves. */
  | { readonly kind: 'wait'; readonly until: EpochMs; readonly bucket: Bucket };

/** `reserved` is the time that the job was given before, if it was. */
export function planStart(rate: Rate, bucket: Bucket, now: EpochMs, reserved: EpochMs | undefined): RatePlan {
  const step = 60_000 / rate.perMinute;
  const early = step * (rate.burst - 1);
  const { tat, ran, moves } = bucket;
  const free = now >= ran - early;
  if (reserved !== undefined && free)
    return { kind: 'start', bucket: { tat, ran: Math.max(reserved, now - SLACK, ran) + step, moves } };
  if (free && now >= tat - early)
    return { kind: 'start', bucket: { tat: Math.max(now, tat) + step, ran: Math.max(now, ran) + step, moves } };
  const next = Math.max(tat, ran);
  return { kind: 'wait', until: epochMs(Math.ceil(next - early)), bucket: { tat: next + step, ran, moves } };
}

/** Moves the bucket as planned, if nobody has moved it since it was read. */
export function moveWrite(scope: Scope, rate: Rate, { tat, ran, moves }: Bucket): TransactWrite {
  const expiresAt = toEpochSeconds(later(epochMs(Math.max(tat, ran)), hours(24)));
  return { side: bucketOf(scope, rate.key), rule: 'move-bucket', params: { fields: { tat, ran, expiresAt }, moves } };
}
