// What a caller may ask that a job must pass before it runs, and the form of the keys that it names.
import * as z from 'zod';
import { LONGEST_KEY, MOST_AT_ONCE } from '../job/gates/gate-limits.ts';

/** A name that a caller gives to something of theirs, of `longest` characters at most: it may become part of a key of the table. */
export const callersKey = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'It has characters that a key may not have.');

/** Of a gate. */
export const gateKey = callersKey(LONGEST_KEY);
/** One that stands in a path as well: API Gateway decodes a path before the routes see it, so no text that ends or begins a part. */
export const pathKey = gateKey.refine(
  (text) => !/[/\\?#%]/.test(text) && text !== '.' && text !== '..',
  'It may not have / \\ ? # or % in it, nor be . or .., since it stands in paths.',
);
const limit = z.int().min(1).max(MOST_AT_ONCE);

export const gateFields = {
  flow: pathKey.optional().meta({ description: 'Jobs that share it are paused, stepped and disabled together.' }),
  guard: z
    .strictObject({ key: pathKey, value: gateKey })
    .optional()
    .meta({ description: 'The job is dropped if the guard stands at another value when it would start.' }),
  concurrencyKey: z
    .strictObject({ key: gateKey, limit })
    .optional()
    .meta({ description: 'At most `limit` jobs with this key run at once; the others are parked at no cost.' }),
  rate: z.strictObject({ key: gateKey, perMinute: limit, burst: limit.optional() }).optional().meta({
    description: 'At most `perMinute` jobs with this key start a minute, up to `burst` (1) of them together.',
  }),
};
