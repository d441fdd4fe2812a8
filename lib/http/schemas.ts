// What several routes share of their schemas. They are read twice: on the way in, and by OpenAPI.
import * as z from 'zod';
import { type IdPrefix, isId } from '../core/ids.ts';
import { type EpochMs, epochMs } from '../core/time.ts';
import { LIST_LIMIT, WAIT_SECONDS } from './limits.ts';

/** An id of one kind, e.g. `idSchema<JobId>('job')`. */
export const idSchema = <Id extends string>(prefix: IdPrefix) =>
  z
    .string()
    .refine((text): text is Id => isId(prefix, text), `It is not an id of the form ${prefix}_….`)
    .meta({ description: `\`${prefix}_\` and 26 characters.` });

/** A whole number in a query string. */
export const queryInt = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,16}$/.test(text), 'It is not a whole number.')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .meta({ override: { type: 'integer', minimum: min, maximum: max } });

/** A time that a caller may give on any clock; what is answered is UTC. */
const anyTime = z.iso.datetime({
  offset: true,
  error: 'It is no time of ISO 8601 with a zone, such as 2026-01-31T09:30:00Z.',
});

/** A time in a query string, as epoch ms. */
export const timeQuery = anyTime
  .transform((text): EpochMs => epochMs(Date.parse(text)))
  .meta({ override: { type: 'string', format: 'date-time' } });

export const pageQuery = {
  limit: queryInt(1, LIST_LIMIT.max)
    .default(LIST_LIMIT.default)
    .meta({ override: { type: 'integer', minimum: 1, maximum: LIST_LIMIT.max, default: LIST_LIMIT.default } }),
  cursor: z.string().min(1).max(4096).optional().meta({ description: 'The `nextCursor` of the page before.' }),
};

export const listOf = <T extends z.ZodType>(item: T) =>
  z.lazy(() =>
    z.strictObject({
      data: z.array(item),
      nextCursor: z
        .string()
        .nullable()
        .meta({ description: 'Pass it as `cursor`; null at the end. A page may be empty.' }),
    }),
  );

/** A row that a list cannot show: the others are shown all the same. */
export const unreadableRows = z
  .array(z.strictObject({ id: z.string(), code: z.literal('ROW_UNREADABLE'), detail: z.string() }))
  .optional()
  .meta({ description: 'Jobs of the page whose rows this release cannot read, and why; absent where there are none.' });

export const listOfJobs = <T extends z.ZodType>(item: T) =>
  listOf(item).unwrap().extend({ unreadable: unreadableRows });

export const isoTime = anyTime.meta({ description: 'ISO 8601 with a zone; answers are in UTC.' });

export const waitQuery = {
  wait: queryInt(1, WAIT_SECONDS).meta({
    override: { type: 'integer', minimum: 1, maximum: WAIT_SECONDS },
    description: 'Seconds to wait at most.',
  }),
  after: queryInt(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Answer at the first change after this `version` too, not only at the end.' }),
};
