// A relation as a document of its dataset: what people decided, and what was measured, each measure with the snapshots that it is of. A
// measure counts where both are the published ones, so that what a run measured shows exactly when it has published.
import * as z from 'zod';
import { type DocumentGroup, documentFamily, type Documents, type Family } from '../../core/documents.ts';
import {
  type DatasetId,
  derivedId,
  type RelationId,
  type Scope,
  type SnapshotId,
  type TableId,
} from '../../core/ids.ts';
import { type EpochMs, epochMs } from '../../core/time.ts';
import { idOf } from '../id-of.ts';
import type { Finding, KnownPair, RelationEnd } from './find.ts';

const time = z.int().transform((value): EpochMs => epochMs(value));
const endSchema = z.strictObject({ table: idOf('tbl'), tableName: z.string(), column: z.string() });

export const relationStatuses = ['proposed', 'approved', 'rejected'] as const;
export const relationKinds = ['heuristic', 'manual'] as const;
export const cardinalities = ['one-to-one', 'many-to-one', 'many-to-many'] as const;

const measureSchema = z.strictObject({
  fromSnapshot: idOf('snap'),
  toSnapshot: idOf('snap'),
  at: time,
  confidence: z.number(),
  containment: z.number(),
  uniqueness: z.number(),
  cardinality: z.enum(cardinalities),
  /** Different values of `from` that were looked at, and those of them that were found. */
  looked: z.int(),
  found: z.int(),
  sampled: z.boolean(),
  explanation: z.string(),
});
export type Measure = z.infer<typeof measureSchema>;

const relationSchema = z.lazy(() =>
  z.strictObject({
    v: z.literal(1),
    from: endSchema,
    to: endSchema,
    kind: z.enum(relationKinds),
    status: z.enum(relationStatuses),
    /** What a person said of it. */
    note: z.string().optional(),
    createdAt: time,
    decidedAt: time.optional(),
    /** Newest first. */
    measures: z.array(measureSchema),
  }),
);
export type Relation = z.infer<typeof relationSchema>;

/** Of a measure that a run wrote which then failed, of the published one before it, and of one under way beside them. */
const MEASURES = 4;

export const relationFamily = (documents: Documents): Family<Relation> =>
  documentFamily(documents, { family: 'relation', schema: relationSchema });

export const relationGroup = ({ tenant, workspace }: Scope, dataset: DatasetId): Omit<DocumentGroup, 'family'> => ({
  tenant,
  workspace,
  group: dataset,
});

/** Of the four parts, so that a pair of columns is one relation in each direction. */
export const relationId = ({ tenant, workspace }: Scope, dataset: DatasetId, { from, to }: KnownPair): RelationId =>
  derivedId('rel', tenant, workspace, dataset, from.table, from.column, to.table, to.column);

/** The published snapshot of each table. */
export type Published = ReadonlyMap<TableId, SnapshotId>;

/** The measure of what is published now. */
export const currentMeasure = ({ from, to, measures }: Relation, published: Published): Measure | undefined =>
  measures.find(
    ({ fromSnapshot, toSnapshot }) =>
      published.get(from.table) === fromSnapshot && published.get(to.table) === toSnapshot,
  );

/**
 * What a document becomes when a pair was measured: a decision stays, a new pair is proposed where it is good enough. Measures that are of
 * nothing published are dropped, but for the newest; undefined leaves the document as it is.
 */
export function withFinding(
  before: Relation | undefined,
  finding: Finding,
  { now, published }: { readonly now: EpochMs; readonly published: Published },
): Relation | undefined {
  if (before === undefined && !finding.proposed) return undefined;
  if (before?.status === 'rejected') return undefined;
  const base: Relation = before ?? {
    v: 1,
    from: { ...finding.from },
    to: { ...finding.to },
    kind: 'heuristic',
    status: 'proposed',
    createdAt: now,
    measures: [],
  };
  const measure = measureOf(finding, now);
  const kept = base.measures.filter((each) => !sameSnapshots(each, measure));
  const shown = currentMeasure(base, published);
  const others = kept.filter((each) => each === shown || each.at >= (shown?.at ?? 0));
  return { ...base, ...named(finding), measures: [measure, ...others].slice(0, MEASURES) };
}

/** Tables keep their ids when a name changes in case only. */
const named = ({ from, to }: Finding): { from: RelationEnd; to: RelationEnd } => ({ from: { ...from }, to: { ...to } });

const sameSnapshots = (one: Measure, other: Measure): boolean =>
  one.fromSnapshot === other.fromSnapshot && one.toSnapshot === other.toSnapshot;

const measureOf = (finding: Finding, at: EpochMs): Measure => ({
  fromSnapshot: finding.fromSnapshot,
  toSnapshot: finding.toSnapshot,
  at,
  confidence: finding.confidence,
  containment: finding.containment,
  uniqueness: finding.uniqueness,
  cardinality: finding.cardinality,
  looked: finding.measured.looked,
  found: finding.measured.found,
  sampled: finding.measured.sampled,
  explanation: finding.explanation,
});

export interface RecordDeps {
  readonly documents: Documents;
  readonly scope: Scope;
  readonly dataset: DatasetId;
  readonly now: EpochMs;
  readonly published: Published;
}

/** Writes what was found beside the decisions of people; the number of relations that are proposed for the first time. */
export async function recordFindings(
  { documents, scope, dataset, ...at }: RecordDeps,
  findings: readonly Finding[],
): Promise<number> {
  const family = relationFamily(documents);
  let fresh = 0;
  for (const finding of findings) {
    const place = { ...relationGroup(scope, dataset), name: relationId(scope, dataset, finding) };
    const seen: { before?: Relation | undefined } = {};
    const after = await family.change(place, (before) => {
      seen.before = before;
      return withFinding(before, finding, at);
    });
    if (seen.before === undefined && after !== undefined) fresh += 1;
  }
  return fresh;
}
