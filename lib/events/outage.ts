// A relay that goes on with what the stream has kept for a day may have missed what came before. Timelines say it job by job (gap.ts);
// those who hear of ends on the bus are told once, since nobody can say of which ends they did not hear.
import { asError } from '../core/check.ts';
import type { Log } from '../core/log.ts';
import { between, type Clock, type EpochMs, epochMs, toIso } from '../core/time.ts';
import type { Announcer } from '../job/announcer.ts';
import { MAY_BE_LOST } from './gap.ts';

interface OutageDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly announcer: Announcer;
}

/** A change and when it was written, where that is known. */
interface Dated {
  readonly at?: EpochMs | undefined;
}

/**
 * Tells of an outage by the oldest of the changes that the relay goes on with: once an hour of theirs from one process, and under one id
 * from all. Never throws; an announcement that was not taken is made again with the next batch.
 */
export function createOutageTeller({
  clock,
  log,
  announcer,
}: OutageDeps): (changes: readonly Dated[]) => Promise<void> {
  let toldOf: string | undefined;
  return async (changes) => {
    const oldest = epochMs(Math.min(...changes.map(({ at }) => at ?? Number.POSITIVE_INFINITY)));
    const now = clock.now();
    if (!Number.isFinite(oldest) || between(oldest, now) < MAY_BE_LOST) return;
    const before = toIso(oldest);
    const hour = before.slice(0, 13);
    if (toldOf === hour) return;
    log.error('The relay was off for about a day; changes of jobs from before then may not have been told of.', {
      before,
    });
    try {
      const detail = { id: `relay.gap#${hour}`, before };
      const failed = await announcer.announce([{ type: 'relay.gap', at: now, detail }]);
      if (failed.length === 0) toldOf = hour;
    } catch (thrown) {
      log.warn('The gap was not announced.', { error: asError(thrown).message });
    }
  };
}
