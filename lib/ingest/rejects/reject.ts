// What the rejects report of a table says of a value that its column could not take as it was.
import * as z from 'zod';
import type { WarningCode } from '../warnings.ts';

/** The warnings of which every case is in the report. */
export const reported: ReadonlySet<WarningCode> = new Set<WarningCode>(['TYPE_WIDENED']);

export const rejectSchema = z.lazy(() =>
  z.strictObject({
    /** The code of the warning. */
    reason: z.string(),
    row: z.int().meta({ description: 'From 1, the header not counted.' }),
    line: z.int().optional().meta({ description: 'In the file, from 1; of text formats.' }),
    column: z.string(),
    value: z.string().meta({ description: 'Cut at 200 characters.' }),
  }),
);
export type Reject = z.infer<typeof rejectSchema>;

export const rejectsSchema = z.lazy(() =>
  z.strictObject({
    /** Absent where it names values of a column that hides them. */
    key: z.string().optional(),
    /** That it names values of. */
    columns: z.array(z.string()),
    total: z.int().meta({ description: 'Values that did not fit.' }),
    lines: z.int().meta({ description: 'Of those, how many the report names.' }),
    reasons: z.record(z.string(), z.int()).meta({ description: 'How many there are of each reason.' }),
    first: z.array(rejectSchema).meta({ description: 'The first ten.' }),
  }),
);
export type RejectsSummary = z.infer<typeof rejectsSchema>;
/** Without where it is kept, which is no business of a caller's. */
export const rejectsView = z.lazy(() => rejectsSchema.unwrap().omit({ key: true, columns: true }));

/** Without the values of some columns: counts remain, and the report is told to nobody. */
export function hiddenRejects(rejects: RejectsSummary, hidden: ReadonlySet<string>): RejectsSummary {
  if (!rejects.columns.some((column) => hidden.has(column))) return rejects;
  const { key: _key, ...rest } = rejects;
  return { ...rest, first: rejects.first.filter(({ column }) => !hidden.has(column)) };
}

/** Those that were looked up, and how many there are of each reason. */
export interface Rejects {
  readonly found: readonly Reject[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Rejects of a table that are looked up. */
export const MOST_REJECTS = 10_000;
