import type { Client } from './client.ts';
import type { Target } from './target.ts';

/** What each part of the suite works with; filled in before its tests run. */
export interface World {
  readonly client: Client;
  readonly target: Target;
  /** Differs on every run, so that a place with data from before is no trouble. */
  readonly run: string;
}
