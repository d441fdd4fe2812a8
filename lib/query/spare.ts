// The engine of the next query, opened while nobody waits for it: that takes some 12 ms of processor, about as much as all else that a small
// query does. It is as blank as one that is opened for its query, and like that one it is used once.
import type { DuckDBInstance } from '@duckdb/node-api';
import { openBlank } from './engine.ts';

export interface Spare {
  /** Opens one, unless there is one. */
  readonly prepare: () => void;
  /** Gives the one that there is, or one that is opened now. Rejects where none opens. */
  readonly take: () => Promise<DuckDBInstance>;
}

export function createSpare(open: () => Promise<DuckDBInstance> = openBlank): Spare {
  let spare: Promise<DuckDBInstance | undefined> | undefined;
  return {
    prepare: () => {
      // What kept it from opening may be gone when it is needed.
      spare ??= open().catch(() => undefined);
    },
    take: async () => {
      const ready = spare;
      spare = undefined;
      return (await ready) ?? open();
    },
  };
}
