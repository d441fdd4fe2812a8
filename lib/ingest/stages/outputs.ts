// What the stages of ingest hand on, as it is stored: ids, facts and object keys, never rows of the file. Each has a list with an entry a table,
// in the order of the file. What release 0.1.0 stored, when a file was one table, is read as a list of one.
import * as z from 'zod';
import { type IdPrefix, isId, type newId } from '../../core/ids.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import { readOptionsSchema } from '../options.ts';
import { rejectsSchema } from '../rejects/reject.ts';
import { partialPolicySchema } from '../policy.ts';
import {
  changesSchema,
  columnProfileSchema,
  descriptionSchema,
  partSchema,
  sampleRowsSchema,
  sourceSchema,
  warningSchema,
} from '../manifest-schema.ts';
import { derivationSchema } from '../derive/derivation.ts';
import { columnTagSchema } from '../pii/tags.ts';
import { semanticSchema } from '../semantics/types.ts';

export const idOf = <P extends IdPrefix>(prefix: P) =>
  z.custom<ReturnType<typeof newId<P>>>((value) => typeof value === 'string' && isId(prefix, value), {
    error: `an id that starts with ${prefix}_ is expected`,
  });

/** Why a stage that the policy may switch off has nothing to say. */
const skippedSchema = z.strictObject({ why: z.enum(['off', 'failed']), reason: z.string().optional() });
/** The output of a stage that the policy may switch off: an entry a table, none where it was skipped. */
export interface OptionalOutput<Table> {
  tables: Table[];
  skipped?: z.infer<typeof skippedSchema> | undefined;
}
const optionalOutput = <T extends z.ZodType>(table: T) =>
  z.strictObject({ tables: z.array(table), skipped: skippedSchema.optional() });

/** A stage's output of one table that stands by itself is that of a list of it. */
const listOfOne = <T extends z.ZodType, Old>(output: T, one: z.ZodType<Old>, listed: (old: Old) => z.input<T>) =>
  z.preprocess((value) => {
    const old = one.safeParse(value);
    return old.success ? listed(old.data) : value;
  }, output);

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
        /** Of a large file: the key of what pass one found of it. */
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

const taggedTable = z.lazy(() =>
  z.strictObject({
    columns: z.array(
      columnTagSchema.unwrap().extend({
        name: z.string(),
        /** What detectors say, where a person says something else. */
        found: columnTagSchema.optional(),
      }),
    ),
    warnings: z.array(warningSchema),
  }),
);
export type TaggedTable = z.infer<typeof taggedTable>;

/** The columns that hold personal data, or of which somebody says that they hold none. */
export const tagged = { name: 'pii' as const, output: z.lazy(() => optionalOutput(taggedTable)) };
export type Tagged = z.infer<typeof tagged.output>;

const sampledTable = z.lazy(() =>
  z.strictObject({
    columns: z.array(z.strictObject({ name: z.string(), values: z.array(z.string()) })),
    rows: sampleRowsSchema,
  }),
);
export type SampledTable = z.infer<typeof sampledTable>;

/** Values and rows drawn by lot. */
export const sampled = { name: 'sample' as const, output: z.lazy(() => optionalOutput(sampledTable)) };
export type Sampled = z.infer<typeof sampled.output>;

const profiledTable = z.lazy(() =>
  z.strictObject({
    columns: z.array(
      columnProfileSchema
        .unwrap()
        .omit({ distinctIsExact: true })
        .extend({ name: z.string(), type: z.string(), distinctIs: z.enum(['exact', 'approximate']) }),
    ),
  }),
);
export type ProfiledTable = z.infer<typeof profiledTable>;

/** A profile a column, in the order of the columns. */
export const profiled = {
  name: 'profile' as const,
  output: z.lazy(() => listOfOne(optionalOutput(profiledTable), profiledTable, (one) => ({ tables: [one] }))),
};

const relatedTable = z.lazy(() =>
  z.strictObject({
    /** Pairs of columns with this table in them whose values were compared. */
    measured: z.int(),
    /** Those of them that are proposed as relations, or were already. */
    found: z.int(),
  }),
);

/** How the tables go together, and with the others of their dataset; the relations themselves are documents. */
export const related = {
  name: 'relations' as const,
  output: z.lazy(() => optionalOutput(relatedTable).extend({ left: z.int().optional() })),
};

const describedTable = z.lazy(() =>
  z.strictObject({
    description: descriptionSchema,
    synonyms: z.array(z.string()),
    columns: z.array(
      z.strictObject({
        name: z.string(),
        description: descriptionSchema,
        synonyms: z.array(z.string()),
        semantic: semanticSchema,
      }),
    ),
    warnings: z.array(warningSchema),
  }),
);
export type DescribedOutput = z.infer<typeof describedTable>;

/** What the tables and their columns mean, in words; columns in their order. */
export const described = {
  name: 'describe' as const,
  output: z.lazy(() =>
    optionalOutput(describedTable).extend({
      /** A pass describes what a model was to describe and has not, so many ms after the publish. */
      passAfter: z.int().optional(),
    }),
  ),
};

const indexedTable = z.lazy(() => z.strictObject({ entries: z.int() }));

/** How much of each table can be found. */
export const indexed = {
  name: 'index' as const,
  output: z.lazy(() => optionalOutput(indexedTable)),
};
