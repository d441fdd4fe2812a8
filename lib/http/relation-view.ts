// What a caller sees of a relation: people's decision, and what was measured of tables as they were published, never of a run that was not.
import * as z from 'zod';
import type { StoredDocument } from '../core/documents.ts';
import type { DatasetId, RelationId, Scope, TableId } from '../core/ids.ts';
import { toIso } from '../core/time.ts';
import type { Catalog } from '../ingest/catalog.ts';
import { HOLDS_FROM } from '../ingest/relations/judge.ts';
import { publishedTables } from '../ingest/published-tables.ts';
import { snapshotsOf } from '../ingest/relations/published.ts';
import {
  cardinalities,
  currentMeasure,
  type Measure,
  type Published,
  type Relation,
  relationKinds,
  relationStatuses,
} from '../ingest/relations/relation.ts';
import type { HttpDeps } from './deps.ts';
import { idSchema, isoTime } from './schemas.ts';

const endView = z.strictObject({ tableId: idSchema<TableId>('tbl'), table: z.string(), column: z.string() });
const share = z.number().min(0).max(1);
const measureView = z.strictObject({
  confidence: share.meta({
    description: 'From names, containment, uniqueness and how many different values there are.',
  }),
  containment: share.meta({ description: 'The share of the different values of `from` that stand in `to`.' }),
  uniqueness: share.meta({ description: 'The share of the rows of `to` with a value of their own; 1 for a key.' }),
  cardinality: z.enum(cardinalities).meta({ description: 'Rows of `from` to rows of `to`.' }),
  looked: z.int().meta({ description: 'Different values of `from` that were looked for in `to`.' }),
  found: z.int().meta({ description: 'Those of them that are there.' }),
  sampled: z
    .boolean()
    .meta({ description: 'Whether a part of the different values was looked at, since there are many.' }),
  explanation: z.string(),
  measuredAt: isoTime,
});
export const relationSchema = z
  .strictObject({
    id: idSchema<RelationId>('rel'),
    datasetId: idSchema<DatasetId>('ds'),
    from: endView,
    to: endView,
    kind: z.enum(relationKinds),
    status: z.enum(relationStatuses),
    note: z.string().optional(),
    stale: z
      .boolean()
      .meta({ description: 'True where the tables have moved on since it was measured last, or it never was.' }),
    holds: z
      .boolean()
      .nullable()
      .meta({
        description: `Whether ${HOLDS_FROM * 100} % of the values or more were found by the last measure; null where there is none.`,
      }),
    measure: measureView.optional(),
    createdAt: isoTime,
    decidedAt: isoTime.optional(),
  })
  .meta({ id: 'Relation' });

export type Named = Pick<StoredDocument<Relation>, 'name' | 'body'>;

/** Those of runs that never published are nobody's business. */
export interface Shown extends Named {
  readonly measure: Measure | undefined;
  readonly stale: boolean;
}

export function relationView(
  { name, body, measure, stale }: Shown,
  datasetId: DatasetId,
): z.input<typeof relationSchema> {
  const { from, to, kind, status, note, createdAt, decidedAt } = body;
  return {
    id: name,
    datasetId,
    from: viewOfEnd(from),
    to: viewOfEnd(to),
    kind,
    status,
    ...(note !== undefined && { note }),
    stale,
    holds: measure === undefined ? null : measure.containment >= HOLDS_FROM,
    ...(measure && { measure: viewOfMeasure(measure) }),
    createdAt: toIso(createdAt),
    ...(decidedAt !== undefined && { decidedAt: toIso(decidedAt) }),
  };
}

const viewOfEnd = ({ table, tableName, column }: Relation['from']) => ({ tableId: table, table: tableName, column });
const viewOfMeasure = ({ fromSnapshot: _from, toSnapshot: _to, at, ...measured }: Measure) => ({
  ...measured,
  measuredAt: toIso(at),
});

/** Undefined where nothing of it was ever published and nobody has decided on it, and where a table of it is not there. */
export async function shown(catalog: Catalog, scope: Scope, dataset: DatasetId, published: Published, document: Named) {
  const { name, body } = document;
  if (!published.has(body.from.table) || !published.has(body.to.table)) return undefined;
  const current = currentMeasure(body, published);
  if (current !== undefined) return { name, body, measure: current, stale: false };
  const earlier = await earlierMeasure(catalog, scope, dataset, body);
  const decided = body.kind === 'manual' || body.status !== 'proposed';
  return earlier === undefined && !decided ? undefined : { name, body, measure: earlier, stale: true };
}

/** The newest whose snapshots were published once. */
async function earlierMeasure(catalog: Catalog, scope: Scope, dataset: DatasetId, { from, to, measures }: Relation) {
  for (const measure of measures) {
    const [one, other] = await Promise.all([
      catalog.getSnapshot(scope, dataset, from.table, measure.fromSnapshot),
      catalog.getSnapshot(scope, dataset, to.table, measure.toSnapshot),
    ]);
    if (one?.status === 'READY' && other?.status === 'READY') return measure;
  }
  return undefined;
}

export async function publishedIn({ catalog }: HttpDeps, scope: Scope, dataset: DatasetId): Promise<Published> {
  return snapshotsOf(await publishedTables(catalog, scope, dataset));
}
