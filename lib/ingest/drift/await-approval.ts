import type { Documents } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import type { DatasetId } from '../../core/ids.ts';
import { days, later } from '../../core/time.ts';
import { WaitTimedOut } from '../../job/context/wait.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { type Decision, decided, decisionSchema, REVIEW_SIGNAL, type Review, reviewPlace, reviews } from './review.ts';

/** How long a review can be looked up after its end. */
const KEPT = days(90);

interface Asked {
  readonly dataset: DatasetId;
  readonly tables: Review['tables'];
  readonly days: number;
}

/** Resolves once it is approved. Throws Fault DRIFT_REFUSED where it is rejected, and WAIT_TIMED_OUT. */
export async function awaitApproval(ctx: StageContext, documents: Documents, asked: Asked): Promise<void> {
  const family = reviews(documents);
  const place = reviewPlace(ctx.ref, asked.dataset, ctx.ref.id);
  const timeout = days(asked.days);
  const askedAt = ctx.clock.now();
  const until = later(askedAt, timeout);
  const review: Review = { tables: asked.tables, status: 'waiting', askedAt, until };
  await family.put(place, review, 0, later(until, KEPT));
  try {
    const decision = decisionSchema.safeParse(await ctx.waitFor(REVIEW_SIGNAL, { timeout })).data;
    const heard = decision ?? { approved: false, reason: 'The signal was no decision.' };
    await family.change(place, (found) => decided(found, heard, ctx.clock.now()));
    if (!heard.approved) throw new Fault('DRIFT_REFUSED', rejected(heard));
  } catch (thrown) {
    if (thrown instanceof WaitTimedOut)
      await family.change(place, (found) => found && { ...found, status: 'timed out', decidedAt: ctx.clock.now() });
    throw thrown;
  }
}

const rejected = ({ by, reason }: Decision): string =>
  `The changes were rejected${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : `: ${reason}`}.`;
