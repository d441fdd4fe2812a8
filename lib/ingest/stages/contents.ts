// What each table of a run holds once it is reconciled: what was read, or what was read together with what was there.
import { must } from '../../core/check.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { parsed, type ParsedTable, reconciled } from './outputs.ts';

/** In the order of the file. `warnings` are of the reading and of the adding. */
export async function tablesAfterReconcile(ctx: Pick<StageContext, 'outputOf'>): Promise<readonly ParsedTable[]> {
  const [read, compared] = [await ctx.outputOf(parsed), await ctx.outputOf(reconciled)];
  return read.tables.map((table, index) => {
    const { combined } = must(compared.tables[index], 'a table that was reconciled');
    if (combined === undefined) return table;
    const { columns, rowCount, parts, warnings } = combined;
    const { rejects } = table;
    return { columns, rowCount, parts, warnings: [...table.warnings, ...warnings], ...(rejects && { rejects }) };
  });
}
