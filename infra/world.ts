// What every part of the stack builds on.
import type { ObjectBucket } from './bucket.ts';
import type { OwnKinds } from './own-kinds.ts';
import type { DoorbellQueues } from './queues.ts';
import type { Settings } from './settings.ts';
import type { JobTable } from './table.ts';

export interface World {
  readonly settings: Settings;
  readonly rows: JobTable;
  readonly objects: ObjectBucket;
  readonly doorbells: DoorbellQueues;
  readonly kinds: OwnKinds;
}
