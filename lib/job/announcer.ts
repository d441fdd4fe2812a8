// Telling the world outside what happened: jobs that ended, backlogs that grow. What hears it acts on its own.
import type { EpochMs } from '../core/time.ts';

export interface Announcement {
  /** Such as `job.succeeded`. */
  readonly type: string;
  readonly at: EpochMs;
  /** JSON; `id` in it is the same where the same thing is told twice. Never inputs, results or messages of errors. */
  readonly detail: { readonly id: string } & Readonly<Record<string, unknown>>;
}

export interface Announcer {
  /** Answers the indexes of those that were not taken. Throws StoreUnavailable when nothing is known of any. */
  announce(announcements: readonly Announcement[]): Promise<readonly number[]>;
}
