import type { Objects } from '../../core/objects.ts';
import { defineStage } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { parsed, profiled, type Reconciled } from './outputs.ts';
import { freshFolder, localCopy } from './place.ts';

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/** Looks at every value of the published columns: nulls, how many differ, the range, the most frequent. */
export const createProfile = ({ objects, limits }: Deps) =>
  defineStage({
    ...profiled,
    run: async (ctx, _reconciled: Reconciled) => {
      const { columns, rowCount, parts } = await ctx.outputOf(parsed);
      const parquetPaths: string[] = [];
      for (const { key } of parts) parquetPaths.push(await localCopy(ctx, objects, key, nameOf(key)));
      const workDir = await freshFolder(ctx, 'profile');
      const { signal } = ctx;
      // Loaded when it is needed, as in the stage before.
      const { profileTable } = await import('../profile/profile-table.ts');
      const profiles = await profileTable({ parquetPaths, columns, rowCount, workDir, limits, signal });
      signal.throwIfAborted();
      ctx.progress(columns.length, columns.length, 'profile');
      return { columns: profiles.map((each) => ({ ...each, topValues: [...each.topValues] })) };
    },
  });

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
