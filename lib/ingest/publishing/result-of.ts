// The result of an ingest: its tables in the order of the file, and the first of the warnings that the manifests hold.
import * as z from 'zod';
import type { SnapshotId } from '../../core/ids.ts';
import { warningSchema } from '../manifest-schema.ts';
import { withoutExamples } from '../overlay.ts';
import { hiddenRejects, rejectsView, viewOf } from '../rejects/reject.ts';
import { idOf } from '../id-of.ts';
import type { Findings, TableFindings } from './findings.ts';
import { hiddenOf } from './shown-values.ts';

/** Warnings that the result of a job holds; the manifests hold them all. */
const RESULT_WARNINGS = 50;

export const resultSchema = z.lazy(() =>
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
        /** What could not be taken as it was. */
        rejects: rejectsView.optional(),
      }),
    ),
    /** Of a derived table that is as its sources are, so that nothing was published. */
    unchanged: z.literal(true).optional(),
    /** The first of them; of a file with several tables, each names its table. */
    warnings: z.array(warningSchema),
    /** How many there are. */
    warningCount: z.int(),
  }),
);
export type IngestResult = z.infer<typeof resultSchema>;

/** Of the file, then of its tables; where there are several, a warning says of which it is. */
export function warningsOf(findings: Findings): IngestResult['warnings'] {
  const { file, made, skips } = findings;
  const several = made.length > 1;
  const ofTables = made.flatMap((table) => {
    const { named, read, tags, description } = table;
    const hidden = hiddenOf(findings, table);
    const warnings = hidden.size === 0 ? read.warnings : withoutExamples(read.warnings, hidden);
    return [...warnings, ...(tags?.warnings ?? []), ...(description?.warnings ?? [])].map((warning) =>
      several ? { ...warning, table: named.tableName } : warning,
    );
  });
  return [...file.warnings, ...ofTables, ...skips.map(({ warning }) => warning)];
}

/** What a result tells of them: no more than the manifest shows. */
function rejectsOf(findings: Findings, table: TableFindings): Pick<IngestResult['tables'][number], 'rejects'> {
  const { rejects } = table.read;
  return rejects === undefined ? {} : { rejects: viewOf(hiddenRejects(rejects, hiddenOf(findings, table))) };
}

export function resultOf(findings: Findings, superseded: readonly SnapshotId[]): IngestResult {
  const { file, made } = findings;
  const warnings = warningsOf(findings);
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
      ...rejectsOf(findings, table),
    })),
    ...(made.length === 0 && { unchanged: true }),
    warnings: warnings.slice(0, RESULT_WARNINGS),
    warningCount: warnings.length,
  };
}
