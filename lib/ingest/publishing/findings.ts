// What the stages of a run found of its tables, gathered before they are published.
import { must } from '../../core/check.ts';
import type { Documents } from '../../core/documents.ts';
import type { Warning } from '../../core/warning.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { annotationsOf, type TableAnnotations } from '../annotations.ts';
import { policyOf } from '../policy.ts';
import type { ReadLimits } from '../reading/types.ts';
import { tablesAfterReconcile } from '../stages/contents.ts';
import {
  type DescribedOutput,
  described,
  indexed,
  type OptionalOutput,
  type ProfiledTable,
  profiled,
  related,
  sampled,
  type SampledTable,
  tagged,
  type TaggedTable,
} from '../stages/optional-outputs.ts';
import { looksAtValues, rowsOfLook } from '../stages/scans.ts';
import {
  type ParsedTable,
  type Received,
  type ReceivedTable,
  type ReconciledTable,
  received,
  reconciled,
} from '../stages/outputs.ts';
import { warn, withLook } from '../warnings.ts';

/** A table with what each stage found of it. */
export interface TableFindings {
  readonly named: ReceivedTable;
  readonly read: ParsedTable;
  readonly reconciled: ReconciledTable;
  /** Absent where the stage was skipped. */
  readonly profile: ProfiledTable | undefined;
  readonly samples: SampledTable | undefined;
  readonly tags: TaggedTable | undefined;
  readonly annotations: TableAnnotations;
  /** The same. */
  readonly description: DescribedOutput | undefined;
}

/** A stage that failed, and without which the tables are published. */
export interface Skip {
  readonly stage: string;
  readonly warning: Warning;
}

/** What was switched off is no lack. */
const skipsIn = (outputs: Readonly<Record<string, Pick<OptionalOutput<unknown>, 'skipped'>>>): Skip[] =>
  Object.entries(outputs).flatMap(([stage, { skipped }]) =>
    skipped?.why === 'failed'
      ? [{ stage, warning: warn('STAGE_SKIPPED', { detail: `It is ${stage}. ${skipped.reason ?? ''}`.trimEnd() }) }]
      : [],
  );

/** What the stages of a run found. */
export interface Findings {
  readonly file: Received;
  readonly made: readonly TableFindings[];
  readonly skips: readonly Skip[];
  /** The stage that lets the tables be found was not skipped. */
  readonly findable: boolean;
  /** Milliseconds after which a pass goes on with descriptions that are left. */
  readonly passAfter: number | undefined;
}

/** Reads the outputs of all stages before, and what people have said of the tables by now. */
export async function findingsOf(
  ctx: StageContext,
  { documents, limits }: { readonly documents: Documents; readonly limits: ReadLimits },
): Promise<Findings> {
  const file = await ctx.outputOf(received);
  const looks = looksAtValues(policyOf(file.policy));
  const read = (await tablesAfterReconcile(ctx)).map((table) => ({
    ...table,
    warnings: withLook(table.warnings, looks ? rowsOfLook(ctx, limits, table) : undefined),
  }));
  const { tables: compared } = await ctx.outputOf(reconciled);
  const { tables: profiles, ...profiling } = await ctx.outputOf(profiled);
  const index = await ctx.outputOf(indexed);
  const { tables: descriptions, passAfter, ...describing } = await ctx.outputOf(described);
  const { tables: samples, ...sampling } = await ctx.outputOf(sampled);
  const { tables: tags, ...tagging } = await ctx.outputOf(tagged);
  const skips = skipsIn({
    pii: tagging,
    sample: sampling,
    profile: profiling,
    relations: await ctx.outputOf(related),
    describe: describing,
    index,
  });
  const annotations = await Promise.all(
    file.tables.map(({ table }) => annotationsOf(documents, ctx.ref, file.dataset, table)),
  );
  const made = file.tables.map((named, at) => ({
    named,
    read: must(read[at], 'a table that was read'),
    reconciled: must(compared[at], 'a table that was reconciled'),
    profile: profiles[at],
    samples: samples[at],
    tags: tags[at],
    annotations: must(annotations[at], 'what is said of a table'),
    description: descriptions[at],
  }));
  return { file, made, skips, findable: index.skipped === undefined, passAfter };
}
