import * as z from 'zod';
import { must } from '../../core/check.ts';
import type { Documents } from '../../core/documents.ts';
import type { SnapshotId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { millis } from '../../core/time.ts';
import type { Warning } from '../../core/warning.ts';
import type { FollowUp } from '../../job/waits/owed.ts';
import { defineStage, publish, type StageContext } from '../../pipeline/stage.ts';
import { writeOnce } from '../../pipeline/write-once.ts';
import { annotationsOf, type TableAnnotations } from '../annotations.ts';
import { type Manifest, manifestSchema, warningSchema } from '../manifest-schema.ts';
import { snapshotHash } from '../drift/snapshot-hash.ts';
import { afterIngest } from '../search/after-ingest.ts';
import { hiddenColumns, hiddenManifest, withoutExamples } from '../overlay.ts';
import { policyOf } from '../policy.ts';
import { hiddenRejects, rejectsView } from '../rejects/reject.ts';
import { warn } from '../warnings.ts';
import { tablesAfterReconcile } from './contents.ts';
import { foundTags, withTags } from './hidden.ts';
import {
  type CombinedRows,
  type DescribedOutput,
  described,
  idOf,
  indexed,
  type OptionalOutput,
  type ParsedTable,
  type ProfiledTable,
  profiled,
  type Received,
  type ReceivedTable,
  type ReconciledTable,
  received,
  reconciled,
  related,
  sampled,
  type SampledTable,
  tagged,
  type TaggedTable,
} from './outputs.ts';
import { attemptKey } from './place.ts';

/** Warnings that the result of a job holds; the manifests hold them all. */
const RESULT_WARNINGS = 50;

const resultSchema = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    /** In the order of the file. */
    tables: z.array(
      z.strictObject({
        table: idOf('tbl'),
        tableName: z.string(),
        snapshot: idOf('snap'),
        sequence: z.int(),
        /** A newer snapshot was published before this one, which is kept but never became visible. */
        superseded: z.boolean(),
        rowCount: z.int(),
        columnCount: z.int(),
        /** Values that made a column wider. */
        rejects: rejectsView.optional(),
      }),
    ),
    /** The first of them; of a file with several tables, each names its table. */
    warnings: z.array(warningSchema),
    /** How many there are. */
    warningCount: z.int(),
  }),
);
export type IngestResult = z.infer<typeof resultSchema>;

interface Deps {
  readonly documents: Documents;
  readonly objects: Objects;
}

/** A table with what each stage found of it. */
interface Made {
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
interface Skip {
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

/** Writes the manifests of this attempt and asks for the settle that makes all of its snapshots visible at once. */
export const createPublish = ({ documents, objects }: Deps) =>
  defineStage({
    name: 'publish',
    output: resultSchema,
    run: async (ctx, _before: unknown) => {
      const file = await ctx.outputOf(received);
      const read = await tablesAfterReconcile(ctx);
      const { tables: compared } = await ctx.outputOf(reconciled);
      const { tables: profiles, ...profiling } = await ctx.outputOf(profiled);
      const index = await ctx.outputOf(indexed);
      const findable = index.skipped === undefined;
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
      const made = file.tables.map((named, index) => ({
        named,
        read: must(read[index], 'a table that was read'),
        reconciled: must(compared[index], 'a table that was reconciled'),
        profile: profiles[index],
        samples: samples[index],
        tags: tags[index],
        annotations: must(annotations[index], 'what is said of a table'),
        description: descriptions[index],
      }));
      const publications = [];
      for (const table of made) publications.push(await publicationOf(ctx, objects, file, table, { skips, findable }));
      return publish<IngestResult>({
        publications,
        result: (superseded) => resultOf(file, made, skips, superseded),
        warnings: warningsOf(file, made, skips).length,
        next: nextOf(file, findable, passAfter),
      });
    },
  });

/** The index is merged after a publish, and a pass goes on with the columns that a model was to describe and has not. */
function nextOf({ dataset }: Received, findable: boolean, passAfter: number | undefined): FollowUp | undefined {
  const delay = passAfter === undefined ? undefined : millis(passAfter);
  const pass = { kind: 'describe-pass', input: { dataset, follows: true }, delay };
  if (findable) return afterIngest(dataset, delay === undefined ? [] : [pass]);
  return delay === undefined ? undefined : pass;
}

/** What is the same for all tables of the run. */
interface OfAll {
  readonly skips: readonly Skip[];
  /** The stage that lets them be found was not skipped. */
  readonly findable: boolean;
}

async function publicationOf(ctx: StageContext, objects: Objects, file: Received, made: Made, all: OfAll) {
  const { table, sequence } = made.named;
  const manifest = attemptKey(ctx, file.dataset, table, 'manifest.json');
  await writeOnce(objects, manifest, JSON.stringify(manifestOf(file, made, all)));
  const { snapshot, combined } = made.reconciled;
  const base = combined && { base: { snapshot: combined.base } };
  return { dataset: file.dataset, table, snapshot, sequence, manifest, publishedAt: ctx.clock.now(), ...base };
}

function manifestOf(
  file: Received,
  { named, read, reconciled: compared, profile, samples, tags, annotations, description }: Made,
  { skips, findable }: OfAll,
): Manifest {
  const profiles = new Map((profile?.columns ?? []).map((each) => [each.name, each]));
  const descriptions = new Map((description?.columns ?? []).map((each) => [each.name, each]));
  const values = new Map((samples?.columns ?? []).map((each) => [each.name, each.values]));
  const columns = withTags(read.columns, foundTags(tags)).map(({ name, type, pii }) => ({
    ...{ name, type, profile: profileOf(profiles.get(name)), pii, samples: values.get(name) },
    ...descriptions.get(name),
  }));
  const { rowCount, parts, warnings, rejects } = read;
  const manifest = manifestSchema.parse({
    v: 1,
    table: named.tableName,
    ...(description && { description: description.description, synonyms: description.synonyms }),
    rowCount,
    columns,
    parts,
    ...(samples && { sampleRows: samples.rows }),
    warnings: [
      ...file.warnings,
      ...warnings,
      ...(tags?.warnings ?? []),
      ...(description?.warnings ?? []),
      ...skips.map(({ warning }) => warning),
    ],
    ...(!findable && { indexed: false }),
    ...(skips.length > 0 && { degraded: skips.map(({ stage }) => stage) }),
    ...(rejects && { rejects }),
    source: {
      ...file.source,
      ...(named.entry && { entry: named.entry.name, format: named.entry.format }),
      ...placeOf(named.within),
    },
    changes: compared.changes,
    ...(compared.combined && { added: addedOf(compared.combined) }),
    hash: snapshotHash(columns),
  });
  return hiddenManifest(manifest, annotations, policyOf(file.policy).pii.action);
}

const addedOf = ({ base, added, replaced }: CombinedRows) => ({ ...(base && { to: base }), rows: added, replaced });
/** What of the file the table was read from, as people know it. */
function placeOf(within: ReceivedTable['within']): Pick<Manifest['source'], 'key' | 'sheet'> {
  if (within === undefined) return {};
  return 'key' in within ? { key: within.key } : { sheet: within.sheet };
}

function profileOf(profile: ProfiledTable['columns'][number] | undefined) {
  if (profile === undefined) return undefined;
  const { name: _name, type: _type, distinctIs, ...measured } = profile;
  return { ...measured, distinctIsExact: distinctIs === 'exact' };
}

/** Of the file, then of its tables; where there are several, a warning says of which it is. */
function warningsOf(file: Received, made: readonly Made[], skips: readonly Skip[]): IngestResult['warnings'] {
  const several = made.length > 1;
  const { action } = policyOf(file.policy).pii;
  const ofTables = made.flatMap(({ named, read, tags, annotations, description }) => {
    const hidden = hiddenColumns(withTags(read.columns, foundTags(tags)), annotations, action);
    const warnings = hidden.size === 0 ? read.warnings : withoutExamples(read.warnings, hidden);
    return [...warnings, ...(tags?.warnings ?? []), ...(description?.warnings ?? [])].map((warning) =>
      several ? { ...warning, table: named.tableName } : warning,
    );
  });
  return [...file.warnings, ...ofTables, ...skips.map(({ warning }) => warning)];
}

/** What a result tells of them: no more than the manifest shows. */
function rejectsOf(file: Received, { read, tags, annotations }: Made): Pick<IngestResult['tables'][number], 'rejects'> {
  if (read.rejects === undefined) return {};
  const { action } = policyOf(file.policy).pii;
  const hidden = hiddenColumns(withTags(read.columns, foundTags(tags)), annotations, action);
  const { key: _key, columns: _columns, ...rejects } = hiddenRejects(read.rejects, hidden);
  return { rejects };
}

function resultOf(
  file: Received,
  made: readonly Made[],
  skips: readonly Skip[],
  superseded: readonly SnapshotId[],
): IngestResult {
  const warnings = warningsOf(file, made, skips);
  return {
    dataset: file.dataset,
    tables: made.map((table) => ({
      table: table.named.table,
      tableName: table.named.tableName,
      snapshot: table.reconciled.snapshot,
      sequence: table.named.sequence,
      superseded: superseded.includes(table.reconciled.snapshot),
      rowCount: table.read.rowCount,
      columnCount: table.read.columns.length,
      ...rejectsOf(file, table),
    })),
    warnings: warnings.slice(0, RESULT_WARNINGS),
    warningCount: warnings.length,
  };
}
