import * as z from 'zod';
import { idOf } from './stages/outputs.ts';

/** What a job of the kind `ingest` is submitted with. */
export const ingestInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    file: idOf('file'),
    /** The name of the file as the caller gave it: its extension tells the format, the rest names the table. */
    name: z.string().min(1).max(255),
    /** Names the table otherwise; an identifier. */
    table: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
      .optional(),
  }),
);
export type IngestInput = z.infer<typeof ingestInput>;
