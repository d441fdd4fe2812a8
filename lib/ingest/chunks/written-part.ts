import * as z from 'zod';
import { partSchema } from '../manifest-schema.ts';
import type { Answer } from '../typing/report.ts';

/** A part and what its rows answer to what typing asks. */
export const writtenPart = z.lazy(() =>
  z.strictObject({
    part: partSchema,
    answers: z.array(z.custom<Answer>((value) => value !== undefined)),
    /** The key of the first of its rejects, as JSON; absent where it has none. */
    rejects: z.string().optional(),
  }),
);
export type WrittenPart = z.infer<typeof writtenPart>;
