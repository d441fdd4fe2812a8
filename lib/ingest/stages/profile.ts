import { rm } from 'node:fs/promises';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { ReadLimits } from '../reading/types.ts';
import { tablesAfterReconcile } from './contents.ts';
import { type ParsedTable, profiled, type ProfiledTable, type Reconciled } from './outputs.ts';
import { optionalStage } from './optional.ts';
import { freshFolder, localCopy } from './place.ts';

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/** Looks at every value of the published columns: nulls, how many differ, the range, the most frequent. */
export const createProfile = (deps: Deps) =>
  optionalStage({
    ...profiled,
    run: async (ctx, _reconciled: Reconciled) => {
      const read = await tablesAfterReconcile(ctx);
      const columns = read.reduce((sum, table) => sum + table.columns.length, 0);
      const tables: ProfiledTable[] = [];
      let done = 0;
      for (const [index, table] of read.entries()) {
        tables.push(await profileOne(ctx, deps, table, index));
        done += table.columns.length;
        ctx.progress(done, columns, 'profile');
      }
      return { tables };
    },
  });

async function profileOne(
  ctx: StageContext,
  { objects, limits }: Deps,
  { columns, rowCount, parts }: ParsedTable,
  index: number,
): Promise<ProfiledTable> {
  const parquetPaths: string[] = [];
  // Parts of several runs may have one name.
  for (const [at, { key }] of parts.entries())
    parquetPaths.push(await localCopy(ctx, objects, key, `${index}-${at}-${nameOf(key)}`));
  const workDir = await freshFolder(ctx, 'profile');
  const { signal } = ctx;
  // Loaded when it is needed, as in the stage before.
  const { profileTable } = await import('../profile/profile-table.ts');
  const profiles = await profileTable({ parquetPaths, columns, rowCount, workDir, limits, signal });
  signal.throwIfAborted();
  await Promise.all(parquetPaths.map((path) => rm(path)));
  return { columns: profiles.map((each) => ({ ...each, topValues: [...each.topValues] })) };
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
