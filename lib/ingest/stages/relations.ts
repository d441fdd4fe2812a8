import { must } from '../../core/check.ts';
import { countsIn } from '../relations/published.ts';
import type { RelationDeps } from '../relations/run.ts';
import type { RelatedTable as OwnTable } from '../relations/find.ts';
import { tablesAfterReconcile } from './contents.ts';
import { optionalStage } from './optional.ts';
import { profiled, type ProfiledTable, related } from './optional-outputs.ts';
import { type ParsedTable, received, type ReceivedTable, reconciled } from './outputs.ts';

/**
 * Compares the values of the tables just read with those of the others of their dataset, where names and types suggest it. What is found is
 * written under the snapshots of this run, and so shows exactly if it publishes.
 */
export const createRelations = (deps: RelationDeps) =>
  optionalStage({
    ...related,
    run: async (ctx, _before: unknown) => {
      const { dataset, tables: named } = await ctx.outputOf(received);
      const read = await tablesAfterReconcile(ctx);
      const { tables: compared } = await ctx.outputOf(reconciled);
      const { tables: profiles } = await ctx.outputOf(profiled);
      const own = named.map((table, index) =>
        ownTable(
          table,
          must(compared[index], 'a table that was reconciled').snapshot,
          must(read[index], 'a table that was read'),
          profiles[index],
        ),
      );
      const { lookForRelations } = await import('../relations/run.ts');
      const { findings, left } = await lookForRelations(ctx, deps, dataset, own);
      const tables = own.map(({ id }) => {
        const ofTable = findings.filter(({ from, to }) => from.table === id || to.table === id);
        return { measured: ofTable.length, found: ofTable.filter(({ proposed }) => proposed).length };
      });
      return { tables, ...(left > 0 && { left }) };
    },
  });

function ownTable(
  { table: id, tableName: name }: ReceivedTable,
  snapshot: OwnTable['snapshot'],
  { columns, rowCount: rows, parts }: ParsedTable,
  profile: ProfiledTable | undefined,
): OwnTable {
  const profiles = new Map((profile?.columns ?? []).map((each) => [each.name, each]));
  const own = columns.map(({ name: column, type }) => ({ column, type, ...countsIn(profiles.get(column)) }));
  return { id, name, snapshot, rows, columns: own, parts };
}
