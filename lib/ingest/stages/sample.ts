import { must } from '../../core/check.ts';
import { policyOf } from '../policy.ts';
import { showableInTables } from './hidden.ts';
import { tablesAfterReconcile } from './contents.ts';
import { optionalStage } from './optional.ts';
import { received, sampled, type SampledTable, type Tagged } from './outputs.ts';
import { type LookDeps, lookRequest } from './pii.ts';
import { valuesLookedAt } from './scans.ts';

/** Draws samples of the columns whose values may be shown; the same ones when it is run again. */
export const createSample = (deps: LookDeps) =>
  optionalStage({
    ...sampled,
    run: async (ctx, _tagged: Tagged) => {
      const { tables: named, policy } = await ctx.outputOf(received);
      const read = await tablesAfterReconcile(ctx);
      const showable = await showableInTables(ctx, deps.documents);
      const tables: SampledTable[] = [];
      for (const [index, { tableName: table }] of named.entries()) {
        const { columns, parts } = must(read[index], 'a table that was read');
        const request = await lookRequest(ctx, deps, policyOf(policy).pii, { table, columns, parts, index });
        const { lookForSamples } = await import('../pii/look.ts');
        const looked = await valuesLookedAt(ctx, request, index);
        const shown = must(showable[index], 'what may be shown');
        const { values, rows } = await lookForSamples({ ...request, ...shown }, looked);
        ctx.signal.throwIfAborted();
        tables.push({ columns: [...values].map(([name, some]) => ({ name, values: [...some] })), rows });
      }
      return { tables };
    },
  });
