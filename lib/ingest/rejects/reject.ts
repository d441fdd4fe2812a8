// What the rejects report of a table says of a value that its column could not take as it was.
import * as z from 'zod';
import type { WarningCode } from '../warnings.ts';

/** The warnings of which every case is in the report. */
export const reported: ReadonlySet<WarningCode> = new Set<WarningCode>(['TYPE_WIDENED', 'MISFIT_AS_NULL']);
/** Of a record that is left out since a value does not fit the type that was asked for; the value is in the report. */
export const MISFIT_REJECTED = 'MISFIT_REJECTED';
/** Of a cell of a workbook that holds an error such as `#N/A`, and is NULL. */
export const CELL_ERROR = 'CELL_ERROR';
/** Of a record that was taken, in a report of all. */
export const ACCEPTED = 'ACCEPTED';

export const rejectSchema = z.lazy(() =>
  z.strictObject({
    reason: z.string(),
    row: z.int().optional().meta({ description: 'From 1, the header not counted; of a record that has one.' }),
    line: z.int().optional().meta({ description: 'Of the file, or of the sheet, on which the record begins, from 1.' }),
    sheet: z.string().optional().meta({ description: 'Of a workbook.' }),
    file: z.string().optional().meta({ description: 'Where several files are one table: the one that it is in.' }),
    column: z.string().optional(),
    value: z
      .string()
      .optional()
      .meta({ description: 'Cut at 200 characters; absent where it is, or may be, personal data.' }),
  }),
);
export type Reject = z.infer<typeof rejectSchema>;

export const rejectsSchema = z.lazy(() =>
  z.strictObject({
    /** Absent where it names values of a column that hides them. */
    key: z.string().optional(),
    /** That it names values of. */
    columns: z.array(z.string()),
    /** It shows records, each with the values of all columns. */
    ofRecords: z.boolean().optional(),
    total: z.int().meta({ description: 'Values that did not fit, and records that are left out.' }),
    lines: z.int().meta({ description: 'How many lines the report has.' }),
    accepted: z.int().optional().meta({ description: 'Records that were taken; of a report of all.' }),
    reasons: z.record(z.string(), z.int()).meta({ description: 'How many there are of each reason.' }),
    first: z.array(rejectSchema).meta({ description: 'The first ten.' }),
  }),
);
export type RejectsSummary = z.infer<typeof rejectsSchema>;
/** Without where it is kept, which is no business of a caller's. */
export const rejectsView = z.lazy(() => rejectsSchema.unwrap().omit({ key: true, columns: true, ofRecords: true }));
export const viewOf = ({
  key: _key,
  columns: _columns,
  ofRecords: _ofRecords,
  ...view
}: RejectsSummary): z.infer<typeof rejectsView> => view;

/** A value that is of no column is a record, with the values of all. */
export function withoutValue(reject: Reject, hidden: ReadonlySet<string>): Reject {
  if (reject.column === undefined ? hidden.size === 0 : !hidden.has(reject.column)) return reject;
  const { value: _value, ...rest } = reject;
  return rest;
}

/** Without the values of some columns: counts remain, and the report is told to nobody. */
export function hiddenRejects(rejects: RejectsSummary, hidden: ReadonlySet<string>): RejectsSummary {
  const showsHidden = rejects.columns.some((column) => hidden.has(column));
  if (!showsHidden && !(rejects.ofRecords === true && hidden.size > 0)) return rejects;
  const { key: _key, ...rest } = rejects;
  return { ...rest, first: rejects.first.map((reject) => withoutValue(reject, hidden)) };
}

const FIRST = 10;

/** What a summary says of the lines of a report: the first rejects, and whose values it shows. */
export function summaryOf(lines: readonly Reject[]): Pick<RejectsSummary, 'first' | 'columns' | 'ofRecords'> {
  const shown = lines.filter(({ value }) => value !== undefined);
  return {
    columns: [...new Set(shown.flatMap(({ column }) => column ?? []))],
    ...(shown.some(({ column }) => column === undefined) && { ofRecords: true }),
    first: lines.filter(({ reason }) => reason !== ACCEPTED).slice(0, FIRST),
  };
}

const placeOf = ({ line, row }: Reject): number => line ?? row ?? 0;

/** As they stand in the file; of several, which are named in the order of their rows, file by file. */
export function inOrder(rejects: readonly Reject[], files: readonly string[] = []): Reject[] {
  const rank = new Map(files.map((file, place) => [file, place] as const).toReversed());
  const rankOf = ({ file = '' }: Reject): number => rank.get(file) ?? 0;
  return [...rejects].sort((a, b) => rankOf(a) - rankOf(b) || placeOf(a) - placeOf(b));
}

/** Those that were looked up, and how many there are of each reason. */
export interface Rejects {
  readonly found: readonly Reject[];
  readonly counts: Readonly<Record<string, number>>;
  /** Records that were taken; of a report of all. */
  readonly accepted?: number | undefined;
}

/** Rejects of a table that are looked up. */
export const MOST_REJECTS = 10_000;
