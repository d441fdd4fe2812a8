// What would be lost of a column, as it is kept and handed on; apart from what finds it, which takes the engine.
import * as z from 'zod';

/** What a column would lose. */
export const lossSchema = z.lazy(() =>
  z.strictObject({
    /** Values. */
    count: z.int(),
    /** The row of the first, from 1. */
    row: z.int(),
    /** The first, as text. */
    example: z.string().nullable(),
  }),
);
export type Loss = z.infer<typeof lossSchema>;

/** What two stretches of rows lose, one behind the other. */
export const bothLosses = (first: Loss | undefined, then: Loss): Loss =>
  first === undefined ? then : { ...first, count: first.count + then.count };
