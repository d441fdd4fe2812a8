// What a run says of single values, before it is published: without those that hidden columns hide, and those that are personal by themselves.
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { clearedColumns, hiddenColumns } from '../overlay.ts';
import { policyOf } from '../policy.ts';
import { shownRejects } from '../rejects/shown-report.ts';
import { foundTags, withTags } from '../stages/hidden.ts';
import { personalBy } from '../stages/personal.ts';
import type { Findings, TableFindings } from './findings.ts';

/** The columns whose values stand nowhere. */
export const hiddenOf = ({ file }: Pick<Findings, 'file'>, { read, tags, annotations }: TableFindings) =>
  hiddenColumns(withTags(read.columns, foundTags(tags)), annotations, policyOf(file.policy).pii.action);

type Warnings = TableFindings['read']['warnings'];

const withoutExamples = (warnings: Warnings, isPersonal: (value: string, column?: string) => boolean): Warnings =>
  warnings.map(({ example, ...warning }) =>
    example === undefined || isPersonal(example, warning.column) ? warning : { ...warning, example },
  );

/** Examples of warnings, and the rejects reports; a report with values that are hidden is removed for one without. */
export async function withShownValues(ctx: StageContext, objects: Objects, findings: Findings): Promise<Findings> {
  const quotes = findings.made.some(
    ({ read }) => read.rejects !== undefined || read.warnings.some(({ example }) => example !== undefined),
  );
  if (!quotes) return findings;
  const personal = await personalBy(ctx);
  const made: TableFindings[] = [];
  for (const table of findings.made) {
    const cleared = clearedColumns(table.annotations);
    const isPersonal = (value: string, column = ''): boolean => !cleared.has(column) && personal(value, 'VARCHAR');
    const rejects = await shownRejects(objects, table.read.rejects, { hidden: hiddenOf(findings, table), isPersonal });
    const warnings = withoutExamples(table.read.warnings, isPersonal);
    made.push({ ...table, read: { ...table.read, warnings, ...(rejects && { rejects }) } });
  }
  return { ...findings, made };
}
