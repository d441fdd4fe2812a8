import * as z from 'zod';
import { ingestMode, keyColumns } from './modes.ts';
import { readOptionsSchema } from './options.ts';
import { idOf } from './id-of.ts';
import { fileColumnName, tableName } from './table-name.ts';

/** What a job of the kind `ingest` is submitted with. */
export const ingestInput = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    file: idOf('file'),
    /** The name of the file as the caller gave it: its extension tells the format, the rest names the table. */
    name: z.string().min(1).max(255),
    table: tableName.optional(),
    options: readOptionsSchema.optional(),
    mode: ingestMode.optional(),
    keys: keyColumns.optional(),
    /** Of a list of files: the name of a column that holds the name of the file that a row is from. */
    fileColumn: fileColumnName.optional(),
  }),
);
export type IngestInput = z.infer<typeof ingestInput>;
