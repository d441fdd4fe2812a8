// What a snapshot is: the manifest that stands beside its parts. Stored manifests are read back through this schema, since they outlive the
// code that wrote them: it changes by optional additions only.
import * as z from 'zod';
import { derivationSchema } from './derive/derivation.ts';
import { typeChanges } from './drift/type-change.ts';
import { columnTagSchema } from './pii/tags.ts';
import { rejectsSchema } from './rejects/reject.ts';
import { semanticSchema } from './semantics/types.ts';

const valueCount = z.strictObject({ value: z.string(), count: z.int() });
export const columnProfileSchema = z.lazy(() =>
  z.strictObject({
    rows: z.int().optional().meta({
      description:
        'Rows that all of this is of, where the table is larger than what is looked at; absent where it is of all rows.',
    }),
    nulls: z.int(),
    nullFraction: z.number(),
    distinct: z.int(),
    distinctIsExact: z.boolean(),
    min: z.string().nullable(),
    max: z.string().nullable(),
    topValues: z.array(valueCount),
    mean: z.number().optional().meta({ description: 'Of numbers that are all finite.' }),
    deviation: z.number().optional().meta({ description: 'Standard deviation of the sample.' }),
    lengths: z
      .strictObject({ min: z.int(), max: z.int(), mean: z.number() })
      .optional()
      .meta({ description: 'Characters of texts.' }),
    quantiles: z
      .array(z.strictObject({ at: z.number(), value: z.string() }))
      .readonly()
      .optional()
      .meta({ description: 'Of numbers and times: values of the column.' }),
    histogram: z
      .array(z.int())
      .readonly()
      .optional()
      .meta({ description: 'Rows in each of twenty bins of one width from `min` to `max`.' }),
    patterns: z
      .array(z.strictObject({ pattern: z.string(), share: z.number() }))
      .readonly()
      .optional()
      .meta({
        description:
          'Of texts: the commonest shapes, each with its share of the values. A digit is 9, a capital A, a small letter a, several of these a+.',
      }),
    sampled: z.int().optional().meta({
      description:
        'Rows that quantiles and histogram are of; all, up to 10,000. Of texts: rows that the patterns are of, where they are not of all.',
    }),
  }),
);
/** What rules or a model say of a table or a column; what a person says goes before it. */
export const descriptionSchema = z.lazy(() =>
  z.strictObject({
    text: z.string(),
    source: z.enum(['rule', 'model', 'definition']).meta({
      description: 'By rules of what was measured, by a language model, or by whoever defined a derived table.',
    }),
  }),
);
export const warningSchema = z.lazy(() =>
  z.strictObject({
    code: z.string(),
    message: z.string(),
    table: z.string().optional(),
    column: z.string().optional(),
    row: z.int().optional(),
    count: z.int().optional(),
    example: z.string().optional(),
  }),
);
/** The file that a snapshot was read from, as it was received. */
export const sourceSchema = z.lazy(() =>
  z.strictObject({
    name: z.string(),
    format: z.string(),
    compression: z.string(),
    bytes: z.int(),
    sha256: z.string().meta({
      description:
        'SHA-256 in hex. `<hex>-<n>`: of the SHA-256 hashes of its n blocks of 8 MiB, one behind the other, where it is larger than one invocation reads.',
    }),
    /** The key of its array, where the file held several tables or the array stood below a key. */
    key: z.string().optional(),
    /** The path of its file, where the file that was received is an archive of several; `format` is then of that. */
    entry: z.string().optional(),
    /** The sheet of a workbook. */
    sheet: z.string().optional(),
    /** How many files the table was read from, where they are several; `format` is then `files`, and the hash is that of their list. */
    files: z.int().optional(),
  }),
);
/** A Parquet object of a table. */
export const partSchema = z.lazy(() => z.strictObject({ key: z.string(), bytes: z.int(), rows: z.int() }));
export const renameSchema = z.lazy(() =>
  z.strictObject({
    from: z.string(),
    to: z.string(),
    score: z.number().meta({ description: 'From 0 to 1, of name, type, place and values.' }),
    reasons: z.array(z.string()),
  }),
);
/** Whole rows drawn by lot, of the columns that may be shown. */
export const sampleRowsSchema = z.lazy(() =>
  z.strictObject({ columns: z.array(z.string()), rows: z.array(z.array(z.string().nullable())) }),
);
/** Against the snapshot that was published when this one was reconciled. */
export const changesSchema = z.lazy(() =>
  z.strictObject({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    typeChanged: z.array(
      z.strictObject({
        column: z.string(),
        from: z.string(),
        to: z.string(),
        change: z.enum(typeChanges).optional().meta({
          description: '`widening`: what was there before fits; the others may break a query.',
        }),
      }),
    ),
    renamed: z.array(renameSchema).optional().meta({ description: 'Columns that came back under another name.' }),
    candidates: z
      .array(renameSchema)
      .optional()
      .meta({ description: 'Columns that may have: they stand among removed and added until somebody decides.' }),
    against: z
      .strictObject({ snapshot: z.string(), sequence: z.int() })
      .optional()
      .meta({ description: 'The snapshot that these columns were compared with; absent for the first.' }),
  }),
);
export const manifestSchema = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    table: z.string(),
    rowCount: z.int(),
    description: descriptionSchema.optional(),
    synonyms: z.array(z.string()).optional(),
    columns: z.array(
      z.strictObject({
        name: z.string(),
        type: z.string(),
        stored: z
          .string()
          .optional()
          .meta({ description: 'The type in the parts, where Parquet has no form for `type`.' }),
        profile: columnProfileSchema.optional(),
        pii: columnTagSchema.optional(),
        semantic: semanticSchema.optional().meta({ description: 'What the column means, and how that was found.' }),
        description: descriptionSchema.optional(),
        synonyms: z.array(z.string()).optional(),
        samples: z.array(z.string()).optional().meta({ description: 'Some of its different values, drawn by lot.' }),
      }),
    ),
    sampleRows: sampleRowsSchema.optional(),
    /** In the order of the rows. */
    parts: z.array(partSchema),
    warnings: z.array(warningSchema),
    degraded: z.array(z.string()).optional().meta({
      description: 'Stages that failed, and that the policy of the dataset lets the table be published without.',
    }),
    indexed: z
      .literal(false)
      .optional()
      .meta({ description: 'Search finds nothing of the table: its stage was off, or failed.' }),
    /** Values that fit no type but text: how many, and where they are named. */
    rejects: rejectsSchema.optional(),
    source: sourceSchema,
    changes: changesSchema,
    added: z.strictObject({ to: z.string().optional(), rows: z.int(), replaced: z.int() }).optional().meta({
      description:
        'Where rows were added: the snapshot that they were added to, how many, and how many of its rows gave way.',
    }),
    /** Of the columns' names and types (`snapshotHash`). */
    hash: z.string().optional(),
    derivation: derivationSchema.optional().meta({ description: 'Of a derived table: how its rows were made.' }),
    /** The snapshot whose rows these are, where it was rolled back to. */
    rolledBackTo: z.strictObject({ snapshot: z.string(), sequence: z.int() }).optional(),
  }),
);
export type Manifest = z.infer<typeof manifestSchema>;
