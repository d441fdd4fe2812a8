// What the stages hand on that a policy may switch off, as it is stored: an entry a table, in the order of the file, none where one was skipped.
import * as z from 'zod';
import { columnProfileSchema, descriptionSchema, sampleRowsSchema, warningSchema } from '../manifest-schema.ts';
import { columnTagSchema } from '../pii/tags.ts';
import { semanticSchema } from '../semantics/types.ts';
import { listOfOne } from './list-of-one.ts';

/** Why a stage that the policy may switch off has nothing to say. */
const skippedSchema = z.strictObject({ why: z.enum(['off', 'failed']), reason: z.string().optional() });
/** The output of a stage that the policy may switch off: an entry a table, none where it was skipped. */
export interface OptionalOutput<Table> {
  tables: Table[];
  skipped?: z.infer<typeof skippedSchema> | undefined;
}
const optionalOutput = <T extends z.ZodType>(table: T) =>
  z.strictObject({ tables: z.array(table), skipped: skippedSchema.optional() });

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
