import { must } from '../../core/check.ts';
import type { Documents } from '../../core/documents.ts';
import type { ColumnProfile } from '../reading/types.ts';
import { bareProfile, withoutPersonal } from '../pii/bare-profile.ts';
import { tablesAfterReconcile } from './contents.ts';
import { showableInTables } from './hidden.ts';
import { optionalStage } from './optional.ts';
import { profiled, type ProfiledTable, type Sampled } from './optional-outputs.ts';
import { personalBy } from './personal.ts';
import { lookedAt, rowsOfLook, type ScanDeps } from './scans.ts';

interface Deps extends ScanDeps {
  readonly documents: Documents;
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
        const profiles = await lookedAt(ctx, deps, { ...table, index }, 'profile');
        const rows = rowsOfLook(ctx, deps.limits, table);
        const { hidden, cleared } = must(showable[index], 'what may be shown');
        tables.push({
          columns: profiles.map((profile) => {
            const each = { ...ofRows(profile, rows), topValues: [...profile.topValues] };
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

/** How many values differ in some rows says little more of the table than that there are no fewer. */
const ofRows = (profile: ColumnProfile, rows: number | undefined): ColumnProfile =>
  rows === undefined ? profile : { ...profile, rows, distinctIs: 'approximate' };

/** Of numbers, one in a few looks like some id by chance. */
const isText = (type: string): boolean => type === 'VARCHAR' || type === 'JSON';
