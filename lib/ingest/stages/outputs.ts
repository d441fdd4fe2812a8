// What the stages that make a table hand on, as it is stored: ids, facts and object keys, never rows of the file. Each has a list with an entry a
// table, in the order of the file.
import * as z from 'zod';
import { type EpochMs, epochMs } from '../../core/time.ts';
import { idOf } from '../id-of.ts';
import { readOptionsSchema } from '../options.ts';
import { rejectsSchema } from '../rejects/reject.ts';
import { partialPolicySchema } from '../policy.ts';
import { changesSchema, partSchema, sourceSchema, warningSchema } from '../manifest-schema.ts';
import { derivationSchema } from '../derive/derivation.ts';
import { listOfOne } from './list-of-one.ts';

const receivedTable = z.lazy(() =>
  z.strictObject({
    table: idOf('tbl'),
    tableName: z.string(),
    sequence: z.int(),
    /** Where it stands in a file of several. */
    within: z
      .union([
        z.strictObject({ key: z.string(), start: z.int(), end: z.int() }),
        z.strictObject({
          ...{ sheet: z.string(), header: z.int(), first: z.int(), last: z.int() },
          columns: z.strictObject({ from: z.int(), to: z.int() }).optional(),
        }),
      ])
      .optional(),
    /** The file that it is in, in an archive of several. */
    entry: z.strictObject({ name: z.string(), index: z.int(), format: z.string() }).optional(),
    /** Columns whose texts stay as they are written. */
    verbatim: z.array(z.string()).optional(),
  }),
);
export type ReceivedTable = z.infer<typeof receivedTable>;

/** The file is whole and is what its name says; the next sequence of each of its tables is drawn. */
export const received = {
  name: 'receive',
  output: z.lazy(() =>
    listOfOne(
      z.strictObject({
        dataset: idOf('ds'),
        /** Of the file; absent where the rows are derived. */
        objectKey: z.string().optional(),
        source: sourceSchema,
        /** None where a derived table is as its sources are. */
        tables: z.array(receivedTable),
        /** Of a derived table. */
        derivation: z
          .strictObject({
            made: derivationSchema,
            /** Keys of the manifests of its sources, in their order. */
            manifests: z.array(z.string()),
            /** What has to be published still, where the definition is that of a snapshot, or is the first; any other one gives way. */
            base: z.strictObject({ snapshot: idOf('snap').optional() }).optional(),
          })
          .optional(),
        options: readOptionsSchema.optional(),
        /** Of a large file: the key of what pass one found of each table, in their order. */
        plans: z.array(z.string()).optional(),
        /** Of its one table, in what older releases stored. */
        plan: z.string().optional(),
        /** Of a list of files that are one table: the object is the list. */
        list: z.strictObject({ fileColumn: z.string().optional() }).optional(),
        /** Of the dataset, when the file was received. */
        policy: partialPolicySchema.optional(),
        /** Which dataset of its id it was then. */
        datasetCreatedAt: z
          .int()
          .transform((value): EpochMs => epochMs(value))
          .optional(),
        /** Absent where the rows replace those that are published. */
        mode: z.enum(['append', 'upsert']).optional(),
        keys: z.array(z.string()).optional(),
        /** Of the file as a whole. */
        warnings: z.array(warningSchema),
      }),
      z.strictObject({
        dataset: idOf('ds'),
        table: idOf('tbl'),
        tableName: z.string(),
        sequence: z.int(),
        objectKey: z.string(),
        source: sourceSchema,
      }),
      ({ dataset, objectKey, source, ...table }) => ({ dataset, objectKey, source, tables: [table], warnings: [] }),
    ),
  ),
};
export type Received = z.infer<typeof received.output>;

const parsedTable = z.lazy(() =>
  z.strictObject({
    columns: z.array(z.strictObject({ name: z.string(), type: z.string() })),
    rowCount: z.int(),
    parts: z.array(partSchema),
    warnings: z.array(warningSchema),
    /** Columns that the parts hold as another type, which keeps their values. */
    stored: z.array(z.strictObject({ name: z.string(), type: z.string() })).optional(),
    /** Absent where every value fits the type of its column. */
    rejects: rejectsSchema.optional(),
  }),
);
export type ParsedTable = z.infer<typeof parsedTable>;

/** The tables as Parquet, every value kept. */
export const parsed = {
  name: 'parse',
  output: z.lazy(() =>
    listOfOne(z.strictObject({ tables: z.array(parsedTable) }), parsedTable, (one) => ({ tables: [one] })),
  ),
};
export type Parsed = z.infer<typeof parsed.output>;

const combinedTable = z.lazy(() =>
  parsedTable.unwrap().extend({
    /** The snapshot whose rows are part of it; absent where none was published. */
    base: idOf('snap').optional(),
    added: z.int(),
    /** Rows of the base that gave way. */
    replaced: z.int(),
    /** Of the parts that the base does not have; absent in what older releases stored. */
    newBytes: z.int().optional(),
  }),
);
export type CombinedRows = z.infer<typeof combinedTable>;

const reconciledTable = z.lazy(() =>
  z.strictObject({
    snapshot: idOf('snap'),
    changes: changesSchema,
    /** What is published instead of what was read, where the rows were added to a table. */
    combined: combinedTable.optional(),
  }),
);
export type ReconciledTable = z.infer<typeof reconciledTable>;

/** How each differs from what is published, and the snapshot that it may become. */
export const reconciled = {
  name: 'reconcile',
  output: z.lazy(() =>
    listOfOne(z.strictObject({ tables: z.array(reconciledTable) }), reconciledTable, (one) => ({ tables: [one] })),
  ),
};
export type Reconciled = z.infer<typeof reconciled.output>;
