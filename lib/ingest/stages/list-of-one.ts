// What release 0.1.0 stored, when a file was one table, read as a list of one.
import * as z from 'zod';

/** A stage's output of one table that stands by itself is that of a list of it. */
export const listOfOne = <T extends z.ZodType, Old>(output: T, one: z.ZodType<Old>, listed: (old: Old) => z.input<T>) =>
  z.preprocess((value) => {
    const old = one.safeParse(value);
    return old.success ? listed(old.data) : value;
  }, output);
