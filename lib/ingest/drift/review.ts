// A snapshot that would break queries waits for a person: its job parks until it is told. What is approved is what was compared, whatever is
// published meanwhile. The signal decides, and is heard once; the document shows people what waits, and who decided.
import * as z from 'zod';
import { documentFamily, type Documents } from '../../core/documents.ts';
import type { DatasetId, JobId, Scope } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { changesSchema } from '../manifest-schema.ts';

/** The signal that the job waits for. */
export const REVIEW_SIGNAL = 'review';

export const decisionSchema = z.strictObject({
  approved: z.boolean(),
  by: z.string().optional(),
  reason: z.string().optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

const time = z.custom<EpochMs>((value) => typeof value === 'number');
const reviewSchema = z.lazy(() =>
  z.strictObject({
    tables: z.array(
      z.strictObject({
        table: z.string(),
        tableName: z.string(),
        snapshot: z.string(),
        changes: changesSchema,
        /** Sentences. */
        breaking: z.array(z.string()),
      }),
    ),
    status: z.enum(['waiting', 'approved', 'rejected', 'timed out']),
    askedAt: time,
    until: time,
    decision: decisionSchema.optional(),
    decidedAt: time.optional(),
  }),
);
export type Review = z.infer<typeof reviewSchema>;

export const reviews = (documents: Documents) => documentFamily(documents, { family: 'review', schema: reviewSchema });
export const reviewPlace = ({ tenant, workspace }: Scope, dataset: DatasetId, job: JobId) => ({
  tenant,
  workspace,
  group: dataset,
  name: job,
});

/** The review with what was decided; the first decision stays. */
export function decided(found: Review | undefined, decision: Decision, now: EpochMs): Review | undefined {
  if (found === undefined || found.status === 'approved' || found.status === 'rejected') return undefined;
  return { ...found, status: decision.approved ? 'approved' : 'rejected', decision, decidedAt: now };
}
