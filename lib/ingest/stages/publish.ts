import * as z from 'zod';
import type { SnapshotId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage, publish } from '../../pipeline/stage.ts';
import { writeOnce } from '../../pipeline/write-once.ts';
import { type Manifest, manifestSchema, warningSchema } from '../catalog.ts';
import {
  idOf,
  type Parsed,
  parsed,
  type Profiled,
  type Received,
  type Reconciled,
  received,
  reconciled,
} from './outputs.ts';
import { attemptKey } from './place.ts';

/** Warnings that the result of a job holds; the manifest holds them all. */
const RESULT_WARNINGS = 50;

const resultSchema = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    table: idOf('tbl'),
    tableName: z.string(),
    snapshot: idOf('snap'),
    sequence: z.int(),
    /** A newer snapshot was published before this one, which is kept but never became visible. */
    superseded: z.boolean(),
    rowCount: z.int(),
    columnCount: z.int(),
    /** The first of them. */
    warnings: z.array(warningSchema),
    /** How many there are. */
    warningCount: z.int(),
  }),
);
export type IngestResult = z.infer<typeof resultSchema>;

/** Writes the manifest of this attempt and asks for the settle that makes the snapshot visible. */
export const createPublish = ({ objects }: { readonly objects: Objects }) =>
  defineStage({
    name: 'publish',
    output: resultSchema,
    run: async (ctx, profile: Profiled) => {
      const file = await ctx.outputOf(received);
      const table = await ctx.outputOf(parsed);
      const { snapshot, changes } = await ctx.outputOf(reconciled);
      const manifest = attemptKey(ctx, file.dataset, file.table, 'manifest.json');
      await writeOnce(objects, manifest, JSON.stringify(manifestOf(file, table, changes, profile)));
      const { dataset, table: id, sequence } = file;
      return publish<IngestResult>({
        publications: [{ dataset, table: id, snapshot, sequence, manifest }],
        result: (superseded) => resultOf(file, table, snapshot, superseded),
        warnings: table.warnings.length,
      });
    },
  });

function manifestOf(file: Received, table: Parsed, changes: Reconciled['changes'], profile: Profiled): Manifest {
  const profiles = new Map(profile.columns.map((each) => [each.name, each]));
  const columns = table.columns.map(({ name, type }) => ({ name, type, profile: profileOf(profiles.get(name)) }));
  const { rowCount, parts, warnings } = table;
  return manifestSchema.parse({
    v: 1,
    table: file.tableName,
    rowCount,
    columns,
    parts,
    warnings,
    source: file.source,
    changes,
  });
}

function profileOf(profile: Profiled['columns'][number] | undefined) {
  if (profile === undefined) return undefined;
  const { nulls, nullFraction, distinct, distinctIs, min, max, topValues } = profile;
  return { nulls, nullFraction, distinct, distinctIsExact: distinctIs === 'exact', min, max, topValues };
}

function resultOf(
  { dataset, table: id, tableName, sequence }: Received,
  { rowCount, columns, warnings }: Parsed,
  snapshot: SnapshotId,
  superseded: readonly SnapshotId[],
): IngestResult {
  return {
    dataset,
    table: id,
    tableName,
    snapshot,
    sequence,
    superseded: superseded.includes(snapshot),
    rowCount,
    columnCount: columns.length,
    warnings: warnings.slice(0, RESULT_WARNINGS),
    warningCount: warnings.length,
  };
}
