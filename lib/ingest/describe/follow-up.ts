// At most one pass of a sort (one that describes a dataset, one that embeds a workspace) is due at a time, however many jobs leave
// something: the first to say so submits it.
import * as z from 'zod';
import { type Documents, documentFamily } from '../../core/documents.ts';
import type { JobId, Scope } from '../../core/ids.ts';
import { type EpochMs, epochMs, hours, later } from '../../core/time.ts';
import { idOf } from '../id-of.ts';

const dueSchema = z.strictObject({
  v: z.literal(1),
  /** Whose success submits it. */
  job: idOf('job'),
  due: z.int().transform((value): EpochMs => epochMs(value)),
});

/** A job that fails after its claim submits nothing; others wait no longer than this. */
const LATE = hours(1);

/** Which passes are one after another. */
export interface PassGroup {
  readonly family: 'describe-pass' | 'search';
  readonly group: string;
}

interface Claim {
  readonly job: JobId;
  /** Whether the job is itself the pass that was due. */
  readonly by: 'pass due' | 'other';
  readonly now: EpochMs;
  readonly due: EpochMs;
}

/** Whether the job is the one that submits the next pass; the same answer for each of its attempts. */
export async function claimPass(
  documents: Documents,
  { tenant, workspace }: Scope,
  { family: name, group }: PassGroup,
  { job, by, now, due }: Claim,
): Promise<boolean> {
  const family = documentFamily(documents, { family: name, schema: dueSchema });
  const after = await family.change({ tenant, workspace, group, name: 'due' }, (before) => {
    const pending = by === 'other' && before !== undefined && before.job !== job && later(before.due, LATE) > now;
    return pending ? undefined : { v: 1, job, due };
  });
  return after?.job === job;
}
