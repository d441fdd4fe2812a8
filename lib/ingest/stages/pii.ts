import { must } from '../../core/check.ts';
import type { Documents } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import { toIso } from '../../core/time.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { annotationsOf } from '../annotations.ts';
import { inheritedTag } from '../derive/source-tags.ts';
import { tagOf } from '../overlay.ts';
import type { JudgeRequest } from '../pii/look.ts';
import { type ColumnTag, NONE, type PiiPolicy } from '../pii/tags.ts';
import { workspaceDetectors } from '../pii/workspace-detectors.ts';
import { policyOf } from '../policy.ts';
import { tablesAfterReconcile } from './contents.ts';
import { optionalStage } from './optional.ts';
import { tagged, type TaggedTable } from './optional-outputs.ts';
import { received, type Reconciled } from './outputs.ts';
import { freshFolder } from './place.ts';
import { lookedAt, type ScanDeps } from './scans.ts';

export interface LookDeps extends ScanDeps {
  readonly documents: Documents;
}

/**
 * Tags the columns that hold personal data, before any value of them goes anywhere; what people have said goes before what is found. The
 * Fault PII_FOUND where the policy rejects them.
 */
export const createPii = (deps: LookDeps) =>
  optionalStage({
    ...tagged,
    needed: ({ pii }) => pii.action !== 'warn',
    run: async (ctx, _reconciled: Reconciled) => {
      const { dataset, tables: named, policy, derivation } = await ctx.outputOf(received);
      const read = await tablesAfterReconcile(ctx);
      const { pii } = policyOf(policy);
      const tables: TaggedTable[] = [];
      for (const [index, { table, tableName }] of named.entries()) {
        const own = { ...must(read[index], 'a table that was read'), index };
        const { columns } = own;
        const annotations = await annotationsOf(deps.documents, ctx.ref, dataset, table);
        const request = await judgeRequest(ctx, deps, pii, { table: tableName, columns });
        const values = await lookedAt(ctx, deps, own, 'values');
        // Loaded when it is needed, as the readers are.
        const { lookForTags } = await import('../pii/look.ts');
        const { tags, warnings } = await lookForTags(request, values);
        ctx.signal.throwIfAborted();
        const found = columns.flatMap(({ name }) => {
          const known = tags.get(name) ?? (derivation && inheritedTag(derivation.made, name));
          const tag = tagOf({ name, pii: known }, annotations);
          if (tag === undefined) return [];
          return [{ name, ...tag, ...(known && known !== tag && { found: known }) }];
        });
        tables.push({ columns: found, warnings: [...warnings] });
      }
      if (pii.action === 'reject') refuse(tables, named);
      return { tables };
    },
  });

/** How the values of a table are judged. */
export async function judgeRequest(
  ctx: StageContext,
  { documents, limits }: LookDeps,
  policy: PiiPolicy,
  table: Pick<JudgeRequest, 'table' | 'columns'>,
): Promise<JudgeRequest> {
  return {
    ...table,
    workDir: await freshFolder(ctx, 'pii'),
    limits,
    signal: ctx.signal,
    policy,
    custom: await workspaceDetectors(documents, ctx.ref),
    today: toIso(ctx.clock.now()).slice(0, 10),
  };
}

type Named = readonly { readonly tableName: string }[];

function refuse(tables: readonly TaggedTable[], named: Named): void {
  const several = tables.length > 1;
  const found = tables.flatMap(({ columns }, index) =>
    columns.filter(({ tag }) => tag !== NONE).map((column) => ({ ...column, table: named[index]?.tableName ?? '' })),
  );
  if (found.length === 0) return;
  throw piiFound(found.map(({ name, table, ...tag }) => ({ name: several ? `${table}.${name}` : name, ...tag })));
}

const SHOWN = 20;

/** The fault that names the columns and what they seem to hold, and none of their values. */
export function piiFound(columns: readonly (ColumnTag & { readonly name: string })[]): Fault {
  const shown = columns.slice(0, SHOWN).map(({ name, tag, share }) => {
    return `${name} (${tag}${share === undefined ? '' : `, ${Math.round(share * 100)} % of its values`})`;
  });
  const more = columns.length > SHOWN ? `, and ${columns.length - SHOWN} more` : '';
  return new Fault('PII_FOUND', `Columns hold personal data: ${shown.join(', ')}${more}.`);
}
