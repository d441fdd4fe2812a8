// What a job that writes, or counts, some chunks of a large file is submitted with, and answers.
import * as z from 'zod';
import { idOf } from '../id-of.ts';
import { lossSchema } from '../parquet/loss.ts';
import { countsSchema } from './counts-of.ts';
import { writtenPart } from './written-part.ts';

export const CHUNK_KIND = 'ingest-chunk';

export const chunkInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    table: idOf('tbl'),
    /** The key of the plan. */
    plan: z.string(),
    /** What its chunks are of; of text where it is absent. */
    of: z.literal('row groups').optional(),
    /** The places of the first chunk, and of the one behind the last. */
    from: z.int().min(0),
    to: z.int(),
    /** Columns that are to be counted; the chunks are written where it is absent. */
    count: z.array(z.int()).optional(),
  }),
);
export type ChunkInput = z.infer<typeof chunkInput>;

export const chunkResult = z.lazy(() =>
  z.strictObject({
    /** In the order of the chunks; none where they were counted, or contradict the plan. */
    parts: z.array(writtenPart),
    /** A column with a value that the plan did not foresee. */
    contradicted: z.int().optional(),
    counts: countsSchema.optional(),
    /** Of row groups: what is lost of which columns. */
    losses: z.array(z.tuple([z.int(), lossSchema])).optional(),
  }),
);
export type ChunkResult = z.infer<typeof chunkResult>;
