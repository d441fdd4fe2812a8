// Counts as they are kept and handed on, apart from what counts: whoever only names the kind of chunks starts without the engine.
import * as z from 'zod';
import type { Counts } from '../typing/counts.ts';

/** By the index of the column; JSON, so that it can be kept. */
export const countsSchema = z.lazy(() => z.array(z.tuple([z.int(), z.custom<Counts>((value) => value !== undefined)])));
export type CountsOf = z.infer<typeof countsSchema>;
