// The outbox of the embedded store: what DynamoDB's change stream is in the cloud. Quiet rules leave no change.
import * as z from 'zod';
import type { Database } from './database.ts';

/** One applied loud rule: the job row before and after it, as stored. */
export interface LoggedChange {
  /** Rises with each change; gaps are possible. */
  readonly seq: number;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface ChangeLog {
  /** Changes after `seq` (0 for all), oldest first. */
  changes(after: number, limit: number): Promise<LoggedChange[]>;
  /** Forgets changes up to and including `seq`. */
  ackChanges(seq: number): Promise<void>;
}

const rowSchema = z.object({ seq: z.int(), before: z.string().nullable(), after: z.string().nullable() });

export const createChangeLog = (db: Database): ChangeLog => ({
  changes: async (after, limit) =>
    db
      .read(() => db.sql('SELECT seq, before, after FROM changes WHERE seq > ? ORDER BY seq LIMIT ?').all(after, limit))
      .map((row) => toChange(rowSchema.parse(row))),
  ackChanges: async (seq) => {
    db.immediate(() => db.sql('DELETE FROM changes WHERE seq <= ?').run(seq));
  },
});

const toChange = ({ seq, before, after }: z.infer<typeof rowSchema>): LoggedChange => ({
  seq,
  ...(before !== null && { before: JSON.parse(before) as unknown }),
  ...(after !== null && { after: JSON.parse(after) as unknown }),
});
