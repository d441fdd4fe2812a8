// Publishing as the settle, in the embedded store: one immediate transaction over the job, its snapshots and their tables.
import type { JobRef, SnapshotId } from '../../core/ids.ts';
import { quotaExceeded } from '../../ingest/quota.ts';
import { workspaceDeleted } from '../../job/dead/workspaces.ts';
import type { Publication, Published, StoredBytes } from '../../job/ports.ts';
import type { RuleWrite } from '../../rule/rule.ts';
import { DELETION, PURGED, PURGED_THROUGH } from '../deletions.ts';
import {
  baseMoved,
  checkPublications,
  goneDataset,
  goneTable,
  isOtherwise,
  notPublishable,
  otherwise,
  pointerOf,
  type ResultFor,
  withResultFor,
} from '../publications.ts';
import { snapshotSchema, tableRowSchema } from '../records.ts';
import { datasetKey, snapshotKey, tableKey } from '../table.ts';
import { openTally, tableTally } from '../usage.ts';
import { applyRule } from './apply.ts';
import type { Database } from './database.ts';
import { readRow, saveRow } from './rows.ts';
import { addTally } from './tally.ts';

/** Answers as JobStore.publish does. */
export async function publishAll(
  db: Database,
  ref: JobRef,
  write: RuleWrite,
  publications: readonly Publication[],
  resultFor?: ResultFor,
  stored?: StoredBytes,
): Promise<Published> {
  checkPublications(publications);
  let superseded: readonly SnapshotId[] = [];
  for (;;) {
    const settle = await withResultFor(write, superseded, resultFor);
    const answer = db.immediate(() => publishAs(db, ref, settle, { publications, expected: superseded, stored }));
    if (answer.kind !== 'overtaken') return answer;
    superseded = answer.superseded;
  }
}

interface Publishing {
  readonly publications: readonly Publication[];
  readonly expected: readonly SnapshotId[];
  readonly stored: StoredBytes | undefined;
}

type Overtaken = { readonly kind: 'overtaken'; readonly superseded: readonly SnapshotId[] };

/** Publishes, unless other snapshots than those expected are superseded by now: then the result would not tell the truth. */
function publishAs(
  db: Database,
  ref: JobRef,
  write: RuleWrite,
  { publications, expected, stored }: Publishing,
): Published | Overtaken {
  const superseded = publications.filter((each) => isOvertaken(db, ref, each)).map((each) => each.snapshot);
  if (superseded.length !== expected.length) return { kind: 'overtaken', superseded };
  const settled = applyRule(db, ref, write);
  if (settled.kind === 'refused') return settled;
  for (const each of publications) requireLiving(db, ref, each);
  const counted = addTally(db, stored === undefined ? openTally(ref) : tableTally(ref, stored));
  if (counted === 'barred') throw workspaceDeleted();
  if (counted === 'full' && stored !== undefined) throw quotaExceeded(stored);
  for (const each of publications) publishOne(db, ref, each, superseded.includes(each.snapshot));
  return { kind: 'applied', row: settled.row, superseded };
}

/** Throws the Fault GONE where the table or its dataset is deleted, or was purged since. */
function requireLiving(db: Database, ref: JobRef, publication: Publication): void {
  const { dataset, table, sequence, datasetCreatedAt } = publication;
  const owner = readRow(db, datasetKey(ref, dataset)) ?? {};
  const isOther = datasetCreatedAt !== undefined && owner['createdAt'] !== datasetCreatedAt;
  if (owner[DELETION] !== undefined || owner[PURGED] !== undefined || isOther) throw goneDataset(dataset);
  const row = readRow(db, tableKey(ref, dataset, table));
  if (row?.[DELETION] !== undefined || Number(row?.[PURGED_THROUGH] ?? 0) >= sequence) throw goneTable(table);
}

function isOvertaken(db: Database, ref: JobRef, publication: Publication): boolean {
  const { dataset, table, sequence, base } = publication;
  const found = readRow(db, tableKey(ref, dataset, table));
  if (found === undefined) throw notPublishable(`there is no table ${table}`);
  const { current } = tableRowSchema.parse(found);
  if (isOtherwise(publication, current)) throw otherwise(publication);
  if (base !== undefined && base.snapshot !== current?.snapshot && current?.sequence !== sequence)
    throw baseMoved(table);
  return (current?.sequence ?? 0) >= sequence;
}

function publishOne(db: Database, ref: JobRef, publication: Publication, superseded: boolean): void {
  const { dataset, table, snapshot, sequence, manifest } = publication;
  const [snapshotAt, tableAt] = [snapshotKey(ref, dataset, table, sequence), tableKey(ref, dataset, table)];
  const found = readRow(db, snapshotAt);
  const partial = found === undefined ? undefined : snapshotSchema.parse(found);
  if (partial?.id !== snapshot || partial.status !== 'PARTIAL' || partial.job !== ref.id)
    throw notPublishable(`snapshot ${snapshot} is not this job's to publish`);
  const { publishedAt } = publication;
  const at = publishedAt === undefined ? {} : { publishedAt };
  saveRow(db, snapshotAt, { ...found, ...at, manifest, status: superseded ? 'SUPERSEDED' : 'READY' });
  if (!superseded) saveRow(db, tableAt, { ...readRow(db, tableAt), current: pointerOf(publication) });
}
