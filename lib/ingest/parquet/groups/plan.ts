// How a large Parquet file is read: which row groups make a chunk, and what its columns are.
import * as z from 'zod';
import { Fault } from '../../../core/fault.ts';
import type { Objects } from '../../../core/objects.ts';
import { warningSchema } from '../../manifest-schema.ts';
import { lossSchema } from '../loss.ts';

const stretch = z.strictObject({ start: z.int(), end: z.int() });

const groupChunk = z.strictObject({
  /** What the footer says of its row groups: where that stands in the file, and how many they are. */
  said: stretch,
  groups: z.int(),
  /** Of their pages. */
  bytes: z.int(),
  rows: z.int(),
  /** In the chunks before. */
  rowsBefore: z.int(),
});
export type GroupChunk = z.infer<typeof groupChunk>;

const groupsPlan = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    file: z.strictObject({ objectKey: z.string(), size: z.int() }),
    /** What of the footer stands before its row groups, and behind them. */
    before: stretch,
    behind: stretch,
    /** As its parts have them. */
    columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
    /** Places of the columns that are text whatever they hold. */
    decimals: z.array(z.int()),
    /** Of others that are text, what would be lost of them. */
    losses: z.array(z.tuple([z.int(), lossSchema])),
    /** It is known that no other column loses anything. */
    proven: z.boolean().optional(),
    rows: z.int(),
    /** One at least. */
    chunks: z.array(groupChunk),
    /** Of the schema. */
    warnings: z.array(warningSchema),
  }),
);
export type GroupsPlan = z.infer<typeof groupsPlan>;

/** The plan that was kept at `key`. Throws the Fault INPUT_UNREADABLE. */
export async function readGroupsPlan(objects: Objects, key: string): Promise<GroupsPlan> {
  const bytes = await objects.get(key);
  if (bytes === undefined) throw new Fault('INPUT_UNREADABLE', `The plan ${key} is gone.`);
  const parsed = groupsPlan.safeParse(JSON.parse(Buffer.from(bytes).toString()));
  if (parsed.success) return parsed.data;
  throw new Fault('INPUT_UNREADABLE', 'Another release planned this file; submit it anew.', { cause: parsed.error });
}

/** Places of the columns that are text in all parts. */
export const textsOf = ({ decimals, losses }: Pick<GroupsPlan, 'decimals' | 'losses'>): Set<number> =>
  new Set([...decimals, ...losses.map(([place]) => place)]);
