// What a dataset says about its ingests: which stages they have to do, and how they meet what is there. A run keeps the policy of the time at
// which its file was received.
import * as z from 'zod';
import { recordOf } from '../core/any-keys.ts';
import { ingestMode, keyColumns } from './modes.ts';
import { readOptionsSchema } from './options.ts';
import { defaultPii, piiPolicySchema } from './pii/tags.ts';
import { tableName } from './table-name.ts';

/** The stages that a policy may switch off, in order; the others always run. */
export const optionalStages = ['pii', 'sample', 'profile', 'relations', 'describe', 'index'] as const;
export type OptionalStage = (typeof optionalStages)[number];

const demand = z.enum(['required', 'best-effort', 'off']).meta({
  description:
    '`required`: the ingest fails where the stage does. `best-effort`: the table is published without it, with a warning. `off`: it is not done.',
});

const stagesSchema = z.strictObject({
  pii: demand,
  sample: demand,
  profile: demand,
  relations: demand,
  describe: demand,
  index: demand,
});

/** What becomes of a snapshot that would break queries on the one before. */
const driftSchema = z.enum(['auto', 'review', 'strict']).meta({
  description:
    '`auto`: it is published, and says what changed. `review`: it waits until somebody approves it. `strict`: it is refused with DRIFT_REFUSED.',
});
const reviewDaysSchema = z
  .int()
  .min(1)
  .max(90)
  .meta({ description: 'How long it waits; then the ingest fails with WAIT_TIMED_OUT.' });

const retentionSchema = z
  .strictObject({
    snapshots: z.int().min(1).max(10_000).optional().meta({ description: 'The newest so many are kept.' }),
    days: z.int().min(1).max(3650).optional().meta({ description: 'And those that were published in so many days.' }),
  })
  .meta({
    description:
      'Which snapshots a job of the kind `retention` keeps: those that either says, and the published one. Without it, all.',
  });

/** What an upload says in its request, and a file that is dropped in the inbox cannot say. */
const dropFields = () => ({
  mode: ingestMode
    .optional()
    .meta({ description: 'What becomes of the rows that are published; `replace` when absent.' }),
  keys: keyColumns.optional().meta({ description: 'With `upsert`: the columns that say which row is which.' }),
  options: readOptionsSchema.optional().meta({ description: 'How to read the files.' }),
});
/** Whether key columns are given where they are needed, and nowhere else. */
export const keysFit = ({ mode, keys }: { readonly mode?: string | undefined; readonly keys?: unknown }): boolean =>
  (mode === 'upsert') === (keys !== undefined);
export const KEYS_MISFIT = 'Key columns go with mode upsert, which needs them.';

const inboxSchema = z.lazy(() =>
  z
    .strictObject({
      ...dropFields(),
      tables: recordOf(tableName, z.strictObject(dropFields()).refine(keysFit, KEYS_MISFIT))
        .optional()
        .meta({ description: 'By the name of the folder: what holds for this table instead.' }),
    })
    .refine(keysFit, KEYS_MISFIT)
    .meta({ description: 'How files are ingested that are dropped in the inbox of the bucket.' }),
);
const restoreDaysSchema = z
  .int()
  .min(0)
  .max(365)
  .meta({ description: 'How long a table, or the dataset, can be restored once it is deleted; then it is purged.' });

/** As a dataset keeps it: what is left out is as in `defaultPolicy`. */
export const partialPolicySchema = z
  .lazy(() =>
    z.strictObject({
      stages: stagesSchema.partial().optional(),
      pii: piiPolicySchema.unwrap().partial().optional(),
      drift: driftSchema.optional(),
      reviewDays: reviewDaysSchema.optional(),
      retention: retentionSchema.optional(),
      inbox: inboxSchema.optional(),
      restoreDays: restoreDaysSchema.optional(),
    }),
  )
  .meta({ id: 'IngestPolicy' });
export type PartialPolicy = z.infer<typeof partialPolicySchema>;

/** Every part of it said. */
export const policySchema = z.lazy(() =>
  z.strictObject({
    stages: stagesSchema,
    pii: piiPolicySchema,
    drift: driftSchema,
    reviewDays: reviewDaysSchema,
    retention: retentionSchema.optional(),
    inbox: inboxSchema.optional(),
    restoreDays: restoreDaysSchema,
  }),
);
export type IngestPolicy = z.infer<typeof policySchema>;

export const defaultPolicy: IngestPolicy = {
  stages: {
    pii: 'required',
    sample: 'best-effort',
    profile: 'required',
    relations: 'best-effort',
    describe: 'best-effort',
    index: 'best-effort',
  },
  pii: defaultPii,
  drift: 'auto',
  reviewDays: 7,
  restoreDays: 30,
};

export const policyOf = ({ stages, pii, ...others }: PartialPolicy = {}): IngestPolicy => ({
  ...defaultPolicy,
  ...definedIn(others),
  stages: { ...defaultPolicy.stages, ...definedIn(stages ?? {}) },
  pii: { ...defaultPolicy.pii, ...definedIn(pii ?? {}) },
});

/** Without the keys that say undefined, which would hide a default. */
const definedIn = <T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
