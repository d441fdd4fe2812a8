import * as z from 'zod';
import { partSchema } from '../manifest-schema.ts';
import type { Answer } from '../typing/report.ts';

const answer = z.custom<Answer>((value) => value !== undefined);

/** A part and what its rows answer to what typing asks. */
export const writtenPart = z.lazy(() =>
  z.strictObject({
    part: partSchema,
    answers: z.array(answer),
    /** The records that are in no part, since a value of theirs does not fit. */
    leftOut: answer.default({ count: 0 }),
    /** The key of the first of its rejects, as JSON; absent where it has none. */
    rejects: z.string().optional(),
  }),
);
export type WrittenPart = z.infer<typeof writtenPart>;
