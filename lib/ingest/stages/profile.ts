import { must } from '../../core/check.ts';
import type { Documents } from '../../core/documents.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { bareProfile, withoutPersonal } from '../pii/bare-profile.ts';
import type { ReadLimits } from '../reading/types.ts';
import { tablesAfterReconcile } from './contents.ts';
import { showableInTables } from './hidden.ts';
import { optionalStage } from './optional.ts';
import { type ParsedTable, profiled, type ProfiledTable, type Sampled } from './outputs.ts';
import { personalBy } from './personal.ts';
import { freshFolder, localParts } from './place.ts';
import { tableOverview } from './scans.ts';

interface Deps {
  readonly documents: Documents;
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/** Looks at every value of the published columns: nulls, how many differ, the range, the most frequent. */
export const createProfile = (deps: Deps) =>
  optionalStage({
    ...profiled,
    run: async (ctx, _sampled: Sampled) => {
      const read = await tablesAfterReconcile(ctx);
      const showable = await showableInTables(ctx, deps.documents);
      const isPersonal = await personalBy(ctx);
      const columns = read.reduce((sum, table) => sum + table.columns.length, 0);
      const tables: ProfiledTable[] = [];
      let done = 0;
      for (const [index, table] of read.entries()) {
        const { columns: profiles } = await profileOne(ctx, deps, table, index);
        const { hidden, cleared } = must(showable[index], 'what may be shown');
        tables.push({
          columns: profiles.map((each) => {
            if (hidden.has(each.name)) return bareProfile(each);
            if (!isText(each.type) || cleared.has(each.name)) return each;
            return withoutPersonal(each, (value) => isPersonal(value, each.type));
          }),
        });
        done += table.columns.length;
        ctx.progress(done, columns, 'profile');
      }
      return { tables };
    },
  });

/** Of numbers, one in a few looks like some id by chance. */
const isText = (type: string): boolean => type === 'VARCHAR' || type === 'JSON';

async function profileOne(
  ctx: StageContext,
  { objects, limits }: Deps,
  { columns, rowCount, parts }: ParsedTable,
  index: number,
): Promise<ProfiledTable> {
  const parquetPaths = (await localParts(ctx, objects, parts, index)).map(({ path }) => path);
  const workDir = await freshFolder(ctx, 'profile');
  const { signal } = ctx;
  // Loaded when it is needed, as in the stage before.
  const { profileTable } = await import('../profile/profile-table.ts');
  const settings = { parquetPaths, columns, workDir, limits, signal };
  const known = await tableOverview(ctx, settings, index);
  const profiles = await profileTable({ ...settings, rowCount, known });
  signal.throwIfAborted();
  return { columns: profiles.map((each) => ({ ...each, topValues: [...each.topValues] })) };
}
