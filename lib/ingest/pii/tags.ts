// What a column is said to hold, by whom, and what follows from it under the action of the dataset's policy.
import * as z from 'zod';

/** What is done about columns that hold personal data. */
export const piiAction = z.enum(['warn', 'redact', 'mask', 'reject']).meta({
  description:
    '`warn`: columns are tagged. `redact`: no value of a tagged column is in samples and profile. `mask`: nor in what queries answer. `reject`: the ingest fails.',
});
export type PiiAction = z.infer<typeof piiAction>;

export const piiPolicySchema = z.lazy(() =>
  z.strictObject({
    action: piiAction,
    countries: z
      .array(z.string().regex(/^[A-Z]{2}$/, 'It is an ISO code of two capitals.'))
      .min(1)
      .max(50)
      .optional()
      .meta({
        description:
          'Whose national ids and phone numbers without a prefix are looked for. Where it is left out: the ids of all countries.',
      }),
    threshold: z
      .number()
      .min(0.05)
      .max(1)
      .optional()
      .meta({ description: 'The share of the different values of a column that makes a tag; 0.5 unless given.' }),
  }),
);
export type PiiPolicy = z.infer<typeof piiPolicySchema>;

/** Values of personal data stay where they are asked for by name: in queries. */
export const defaultPii: PiiPolicy = { action: 'redact' };

/** The tag of a column that somebody has looked at and found nothing personal in. */
export const NONE = 'NONE';
/** `EMAIL`, `US_SSN`, `CUSTOM:STAFF_ID`, …, `NONE`. */
export const piiTag = z
  .string()
  .regex(/^(?:CUSTOM:)?[A-Z][A-Z0-9_]{0,39}$/, 'It is capitals, digits and _, at most 40, perhaps after CUSTOM:.');

/** What the manifest keeps of a column. */
export const columnTagSchema = z.lazy(() =>
  z.strictObject({
    tag: z.string().meta({ description: 'e.g. EMAIL; NONE where somebody says that it holds nothing personal.' }),
    share: z.number().optional().meta({ description: 'Of the different values that were looked at: how many match.' }),
    source: z.enum(['rule', 'hint', 'custom', 'human', 'lineage']).meta({
      description:
        'The values; the name of the column and the values; a detector of the workspace; a person; what a derived table was made of.',
    }),
  }),
);
export type ColumnTag = z.infer<typeof columnTagSchema>;

const isTagged = (tag: ColumnTag | undefined): boolean => tag !== undefined && tag.tag !== NONE;

/** Whether samples and profile may show values of the column. What a person has tagged, perhaps of a source, is shown under no policy. */
export const hidesValues = (tag: ColumnTag | undefined, action: PiiAction): boolean =>
  isTagged(tag) && (action !== 'warn' || tag?.source === 'human' || tag?.source === 'lineage');

/** Whether queries may see the column: under `reject` nothing tagged is published, so a tag there came later, from a person. */
export const masksValues = (tag: ColumnTag | undefined, action: PiiAction): boolean =>
  isTagged(tag) && (action === 'mask' || action === 'reject');
