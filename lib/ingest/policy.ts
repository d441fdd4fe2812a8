// What a dataset says about its ingests: which stages they have to do, and how they meet what is there. A run keeps the policy of the time at
// which its file was received.
import * as z from 'zod';

/** The stages that a policy may switch off, in order; the others always run. */
export const optionalStages = ['profile', 'relations'] as const;
export type OptionalStage = (typeof optionalStages)[number];

const demand = z.enum(['required', 'best-effort', 'off']).meta({
  description:
    '`required`: the ingest fails where the stage does. `best-effort`: the table is published without it, with a warning. `off`: it is not done.',
});

const stagesSchema = z.strictObject({ profile: demand, relations: demand });

/** As a dataset keeps it: what is left out is as in `defaultPolicy`. */
export const partialPolicySchema = z
  .lazy(() => z.strictObject({ stages: stagesSchema.partial().optional() }))
  .meta({ id: 'IngestPolicy' });
export type PartialPolicy = z.infer<typeof partialPolicySchema>;

/** Every part of it said. */
export const policySchema = z.lazy(() => z.strictObject({ stages: stagesSchema }));
export type IngestPolicy = z.infer<typeof policySchema>;

export const defaultPolicy: IngestPolicy = { stages: { profile: 'required', relations: 'best-effort' } };

export const policyOf = ({ stages }: PartialPolicy = {}): IngestPolicy => ({
  stages: { ...defaultPolicy.stages, ...definedIn(stages ?? {}) },
});

/** Without the keys that say undefined, which would hide a default. */
const definedIn = <T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
