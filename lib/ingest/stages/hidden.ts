// Which columns of the tables under way may show no value, as the stages after the detectors ask.
import type { Documents } from '../../core/documents.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { annotationsOf } from '../annotations.ts';
import { clearedColumns, hiddenColumns } from '../overlay.ts';
import type { ColumnTag } from '../pii/tags.ts';
import { policyOf } from '../policy.ts';
import { tablesAfterReconcile } from './contents.ts';
import { tagged, type Tagged } from './optional-outputs.ts';
import { received } from './outputs.ts';

/** The columns, each with its tag. */
export function withTags<C extends { readonly name: string }>(
  columns: readonly C[],
  found: readonly (ColumnTag & { readonly name: string })[],
) {
  const tags = new Map(found.map(({ name, ...tag }) => [name, tag]));
  return columns.map((column) => ({ ...column, pii: tags.get(column.name) }));
}

/** What detectors found, whatever people say: that goes over it each time it is read. */
export const foundTags = (table: Tagged['tables'][number] | undefined) =>
  (table?.columns ?? []).flatMap(({ name, found, ...tag }) => {
    if (found !== undefined) return [{ name, ...found }];
    return tag.source === 'human' ? [] : [{ name, ...tag }];
  });

export interface Showable {
  /** Columns of which no value may stand anywhere. */
  readonly hidden: ReadonlySet<string>;
  /** Columns of which a person says that they hold nothing personal, so that no single value does. */
  readonly cleared: ReadonlySet<string>;
}

/** Of each table, in the order of the file. */
export async function showableInTables(ctx: StageContext, documents: Documents): Promise<Showable[]> {
  const { dataset, tables: named, policy } = await ctx.outputOf(received);
  const read = await tablesAfterReconcile(ctx);
  const { tables: tags } = await ctx.outputOf(tagged);
  const { action } = policyOf(policy).pii;
  return Promise.all(
    named.map(async ({ table }, index) => {
      const columns = withTags(read[index]?.columns ?? [], foundTags(tags[index]));
      const annotations = await annotationsOf(documents, ctx.ref, dataset, table);
      return { hidden: hiddenColumns(columns, annotations, action), cleared: clearedColumns(annotations) };
    }),
  );
}
