// What DynamoDB's time to live does: rows whose time has passed go, and a job's row leaves a change behind as it does.
import type { EpochMs } from '../../core/time.ts';
import { JOB_SORT_KEY } from '../table.ts';
import type { Database } from './database.ts';

/** Answers how many rows went. */
export function purgeExpired(db: Database, now: EpochMs): number {
  const seconds = Math.floor(now / 1000);
  return db.immediate(() => {
    db.sql('INSERT INTO changes (before) SELECT body FROM items WHERE sk = ? AND expiresAt <= ?').run(
      JOB_SORT_KEY,
      seconds,
    );
    return Number(db.sql('DELETE FROM items WHERE expiresAt IS NOT NULL AND expiresAt <= ?').run(seconds).changes);
  });
}
