// The relay turns a change of a job row into one numbered event row; the change stream is the outbox.
import type { Log } from '../core/log.ts';
import type { Clock } from '../core/time.ts';
import type { JobStore } from '../job/ports.ts';
import type { EngineSettings } from '../job/settings.ts';

export interface RelayDeps {
  readonly store: Pick<JobStore, 'putEvent'>;
  readonly clock: Clock;
  readonly settings: Pick<EngineSettings, 'keepEvents'>;
  readonly log: Log;
}

/** A row before and after a write, as the change stream gives it. */
export interface Change {
  readonly before?: unknown;
  readonly after?: unknown;
}
