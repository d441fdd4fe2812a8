// The schema changes of a snapshot as people see and decide them. What changed is in the manifest and stays; what was decided about it is one
// document a snapshot, so that a column is never given to two.
import * as z from 'zod';
import { documentFamily, type Documents } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, Scope, TableId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Changes } from './compare-columns.ts';
import type { Likeness } from './renames.ts';

export const changeKinds = ['RENAMED', 'RENAMED_CANDIDATE', 'REMOVED', 'ADDED', 'TYPE_CHANGED'] as const;
export const changeStatuses = ['applied', 'waiting', 'confirmed', 'rejected', 'undone'] as const;

export interface SchemaChange {
  /** `<sequence of the snapshot>-<place among its changes>`. */
  readonly id: string;
  readonly kind: (typeof changeKinds)[number];
  readonly before?: { readonly column: string; readonly type?: string };
  readonly after?: { readonly column: string; readonly type?: string };
  /** What the removed column may be called now; the likeliest first. */
  readonly candidates?: readonly Likeness[];
  readonly status: (typeof changeStatuses)[number];
  readonly decision?: ChangeDecision;
}

const decisionSchema = z.strictObject({
  status: z.enum(['automatic', 'confirmed', 'rejected', 'undone']),
  /** The removed column, and what it is called now. */
  from: z.string(),
  to: z.string().optional(),
  by: z.string().optional(),
  at: z.custom<EpochMs>((value) => typeof value === 'number'),
  /** What people had said of the old name and nobody of the new one: taken along, and back when this is undone. */
  carried: z.record(z.string(), z.unknown()).optional(),
});
export type ChangeDecision = z.infer<typeof decisionSchema>;

/** By the removed column. */
const decisionsSchema = z.lazy(() => z.strictObject({ decisions: z.array(decisionSchema) }));
export type Decisions = z.infer<typeof decisionsSchema>;

export const changeFamily = (documents: Documents) =>
  documentFamily(documents, { family: 'change', schema: decisionsSchema });

export interface TablePlace extends Scope {
  readonly dataset: DatasetId;
  readonly table: TableId;
}

const DIGITS = 16;
export const changePlace = ({ tenant, workspace, dataset, table }: TablePlace, sequence: number) => ({
  ...{ tenant, workspace, group: dataset },
  name: `${table}#${String(sequence).padStart(DIGITS, '0')}`,
});

/** The changes of a snapshot with what was decided about each. Ids follow from the manifest, so they never move. */
export function changesOf(sequence: number, changes: Changes, { decisions }: Decisions): SchemaChange[] {
  const { renamed = [], candidates = [], removed, added, typeChanged } = changes;
  const decided = new Map(decisions.map((each) => [each.from, each]));
  const taken = new Set(decisions.filter(({ status }) => status === 'confirmed').map(({ to }) => to));
  const plain: Omit<SchemaChange, 'id'>[] = [
    ...renamed.map((one) => renamedOf(one, decided.get(one.from))),
    ...removed.map((column) => removedOf(column, candidates, decided.get(column))),
    ...added.map((column) => ({ kind: 'ADDED' as const, after: { column }, status: 'applied' as const })),
    ...typeChanged.map(({ column, from, to }) => ({
      ...{ kind: 'TYPE_CHANGED' as const, status: 'applied' as const },
      ...{ before: { column, type: from }, after: { column, type: to } },
    })),
  ];
  return plain
    .map((change, place) => ({ id: `${sequence}-${place}`, ...change }))
    .filter(({ kind, after }) => kind !== 'ADDED' || !taken.has(after?.column));
}

function renamedOf(one: Likeness, decision: ChangeDecision | undefined): Omit<SchemaChange, 'id'> {
  const status = decision?.status === 'undone' ? 'undone' : 'applied';
  const sides = { before: { column: one.from }, after: { column: one.to } };
  return { kind: 'RENAMED', ...sides, candidates: [one], status, ...(decision && { decision }) };
}

function removedOf(
  column: string,
  all: readonly Likeness[],
  decision: ChangeDecision | undefined,
): Omit<SchemaChange, 'id'> {
  const candidates = all.filter(({ from }) => from === column);
  const before = { column };
  if (candidates.length === 0) return { kind: 'REMOVED', before, status: 'applied' };
  if (decision?.status === 'confirmed' && decision.to !== undefined)
    return { kind: 'RENAMED', before, after: { column: decision.to }, candidates, status: 'confirmed', decision };
  const rejected = decision?.status === 'rejected';
  const status = rejected ? 'rejected' : 'waiting';
  return { kind: 'RENAMED_CANDIDATE', before, candidates, status, ...(rejected && { decision }) };
}

/** Which sequence an id is of. Throws Fault NOT_FOUND. */
export function sequenceOf(id: string): number {
  const [, sequence] = /^(\d{1,15})-\d{1,6}$/.exec(id) ?? [];
  if (sequence === undefined) throw new Fault('NOT_FOUND', `There is no change ${id} of this table.`);
  return Number(sequence);
}

/** The decisions with one more, in the place of what was decided about the column before. */
export const withDecision = ({ decisions }: Decisions, decision: ChangeDecision): Decisions => ({
  decisions: [...decisions.filter(({ from }) => from !== decision.from), decision],
});
export const withoutDecision = ({ decisions }: Decisions, column: string): Decisions => ({
  decisions: decisions.filter(({ from }) => from !== column),
});
