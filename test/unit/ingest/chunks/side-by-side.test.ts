import { describe, expect, it } from 'vitest';
import { inTurn, whileAtHand } from '../../../../lib/ingest/chunks/side-by-side.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';

const limits = { ...defaultReadLimits, chunksAtOnce: 2 };

/** Runs `jobs` of three chunks each as pass two does, and answers the most that were at hand and in work at a time. */
async function mostOf(jobs: number) {
  const now = { atHand: 0, inWork: 0 };
  const most = { atHand: 0, inWork: 0 };
  const during = async (what: keyof typeof now, work: () => Promise<void>): Promise<void> => {
    most[what] = Math.max(most[what], ++now[what]);
    await work();
    now[what]--;
  };
  const chunk = () =>
    whileAtHand(limits, () =>
      during('atHand', async () => {
        await new Promise(setImmediate);
        await inTurn(limits, () => during('inWork', () => new Promise((done) => setImmediate(done))));
        await new Promise(setImmediate);
      }),
    );
  await Promise.all(Array.from({ length: jobs * 3 }, chunk));
  return most;
}

describe('chunks of one process', () => {
  it('are worked on as many at a time as may be, with one more at hand, whichever jobs they are of', async () => {
    expect(await mostOf(1)).toEqual({ atHand: 3, inWork: 2 });
    expect(await mostOf(3)).toEqual({ atHand: 3, inWork: 2 });
  });

  it('let the next one in where one fails', async () => {
    const failing = Array.from({ length: 4 }, () => whileAtHand(limits, () => Promise.reject(new Error('full'))));
    await Promise.allSettled(failing);
    expect(await mostOf(1)).toEqual({ atHand: 3, inWork: 2 });
  });
});
