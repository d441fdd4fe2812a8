// The records of a CSV that are left out because they are broken or too wide. Found by reading again, since only a report needs them.
import { linesAt } from '../formats/place.ts';
import { badRecord, RECORD_BROKEN, RECORD_WIDE } from '../rejects/bad-record.ts';
import { MOST_REJECTS, type Reject } from '../rejects/reject.ts';
import type { BadRecords } from '../typing/relation.ts';
import type { Survey } from './shape.ts';
import { type Stretch, tallyRecords } from './survey.ts';

const reasons = { broken: RECORD_BROKEN, wide: RECORD_WIDE } as const;

/** The first of a stretch; its tally is used up. */
export async function findBad(stretch: Omit<Stretch, 'sample' | 'leftOut'>): Promise<Reject[]> {
  const found: Reject[] = [];
  const offsets: number[] = [];
  await tallyRecords({
    ...stretch,
    sample: { offer: () => undefined, restsUntil: () => Infinity },
    leftOut: (why, bytes, start, end, offset) => {
      if (found.length >= MOST_REJECTS) return;
      found.push(badRecord(reasons[why], bytes, start, end));
      offsets.push(offset);
    },
  });
  const lines = await linesAt(stretch.source.path, offsets);
  return found.map(({ reason, ...reject }, place) => ({ reason, line: lines[place], ...reject }));
}

/** How many there are of each reason. */
export const countsOf = ({ broken, wide }: Pick<Survey, 'broken' | 'wide'>): BadRecords['counts'] => ({
  ...(broken && { [RECORD_BROKEN]: broken.count }),
  ...(wide && { [RECORD_WIDE]: wide.count }),
});

/** Undefined where there are none. */
export function badOf(
  survey: Pick<Survey, 'broken' | 'wide'>,
  stretch: Omit<Stretch, 'sample' | 'leftOut'>,
): BadRecords | undefined {
  const counts = countsOf(survey);
  return Object.keys(counts).length === 0 ? undefined : { counts, find: () => findBad(stretch) };
}
