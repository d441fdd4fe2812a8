import { Fault } from '../../core/fault.ts';
import { MOST_ENTRIES } from '../search/after-ingest.ts';
import { tablesAfterReconcile } from './contents.ts';
import { indexed } from './optional-outputs.ts';
import { optionalStage } from './optional.ts';

/**
 * Says how much of each table search can find: itself and its columns. The index belongs to the workspace, and only what is published may be
 * in it, so it is merged by the job that follows the publish. Throws LIMIT_EXCEEDED for a table that no index has room for.
 */
export const createIndex = () =>
  optionalStage({
    ...indexed,
    run: async (ctx, _before: unknown) => {
      const read = await tablesAfterReconcile(ctx);
      const tables = read.map(({ columns }) => ({ entries: columns.length + 1 }));
      if (tables.some(({ entries }) => entries > MOST_ENTRIES))
        throw new Fault('LIMIT_EXCEEDED', `An index holds at most ${MOST_ENTRIES} tables and columns.`);
      return { tables };
    },
  });
