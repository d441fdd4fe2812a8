// What the stages of ingest hand on, as it is stored: ids, facts and object keys, never rows of the file.
import * as z from 'zod';
import { type IdPrefix, isId, type newId } from '../../core/ids.ts';
import { sourceSchema, warningSchema } from '../catalog.ts';

export const idOf = <P extends IdPrefix>(prefix: P) =>
  z.custom<ReturnType<typeof newId<P>>>((value) => typeof value === 'string' && isId(prefix, value), {
    error: `an id that starts with ${prefix}_ is expected`,
  });

const columnSchema = z.lazy(() => z.strictObject({ name: z.string(), type: z.string() }));

/** The file is whole and is what its name says; its table's next sequence is drawn. */
export const received = {
  name: 'receive',
  output: z.lazy(() =>
    z.strictObject({
      dataset: idOf('ds'),
      table: idOf('tbl'),
      tableName: z.string(),
      sequence: z.int(),
      objectKey: z.string(),
      source: sourceSchema,
    }),
  ),
};
export type Received = z.infer<typeof received.output>;

/** The table as Parquet, every value kept. */
export const parsed = {
  name: 'parse',
  output: z.lazy(() =>
    z.strictObject({
      columns: z.array(columnSchema),
      rowCount: z.int(),
      parts: z.array(z.strictObject({ key: z.string(), bytes: z.int(), rows: z.int() })),
      warnings: z.array(warningSchema),
    }),
  ),
};
export type Parsed = z.infer<typeof parsed.output>;

/** How it differs from what is published, and the snapshot that it may become. */
export const reconciled = {
  name: 'reconcile',
  output: z.lazy(() =>
    z.strictObject({
      snapshot: idOf('snap'),
      changes: z.strictObject({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        typeChanged: z.array(z.strictObject({ column: z.string(), from: z.string(), to: z.string() })),
      }),
    }),
  ),
};
export type Reconciled = z.infer<typeof reconciled.output>;

/** A profile a column, in the order of the columns. */
export const profiled = {
  name: 'profile',
  output: z.lazy(() =>
    z.strictObject({
      columns: z.array(
        z.strictObject({
          name: z.string(),
          type: z.string(),
          nulls: z.int(),
          nullFraction: z.number(),
          distinct: z.int(),
          distinctIs: z.enum(['exact', 'approximate']),
          min: z.string().nullable(),
          max: z.string().nullable(),
          topValues: z.array(z.strictObject({ value: z.string(), count: z.int() })),
        }),
      ),
    }),
  ),
};
export type Profiled = z.infer<typeof profiled.output>;
