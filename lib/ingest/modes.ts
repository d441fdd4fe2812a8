// What becomes of the published rows of a table when a file of new ones is ingested.
import * as z from 'zod';

/** `replace` when absent. */
export const ingestMode = z.enum(['replace', 'append', 'upsert']);
export type IngestMode = z.infer<typeof ingestMode>;

/** Of an upsert: the columns that say which row is which. */
export const keyColumns = z.array(z.string().min(1).max(1000)).min(1).max(20);

/** What becomes of a file while another one of the same table is under way. */
export const onConflicts = ['supersede', 'refuse', 'queue'] as const;
export type OnConflict = (typeof onConflicts)[number];
