import { must } from '../../core/check.ts';
import { policyOf } from '../policy.ts';
import { showableInTables } from './hidden.ts';
import { tablesAfterReconcile } from './contents.ts';
import { optionalStage } from './optional.ts';
import { sampled, type SampledTable, type Tagged } from './optional-outputs.ts';
import { received } from './outputs.ts';
import { type LookDeps, judgeRequest } from './pii.ts';
import { lookedAt } from './scans.ts';

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
        const own = { ...must(read[index], 'a table that was read'), index };
        const request = await judgeRequest(ctx, deps, policyOf(policy).pii, { table, columns: own.columns });
        const looked = {
          values: await lookedAt(ctx, deps, own, 'values'),
          rows: await lookedAt(ctx, deps, own, 'rows'),
        };
        const { lookForSamples } = await import('../pii/look.ts');
        const { values, rows } = await lookForSamples(
          { ...request, ...must(showable[index], 'what may be shown') },
          looked,
        );
        ctx.signal.throwIfAborted();
        tables.push({ columns: [...values].map(([name, some]) => ({ name, values: [...some] })), rows });
      }
      return { tables };
    },
  });
