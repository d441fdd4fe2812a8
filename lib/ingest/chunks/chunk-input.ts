// What a job that writes some chunks of a large file is submitted with, and answers.
import * as z from 'zod';
import { idOf } from '../stages/outputs.ts';
import { writtenPart } from './written-part.ts';

export const CHUNK_KIND = 'ingest-chunk';

export const chunkInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    table: idOf('tbl'),
    /** The key of the plan. */
    plan: z.string(),
    /** The places of the first chunk, and of the one behind the last. */
    from: z.int().min(0),
    to: z.int(),
  }),
);
export type ChunkInput = z.infer<typeof chunkInput>;

export const chunkResult = z.lazy(() => z.strictObject({ parts: z.array(writtenPart) }));
