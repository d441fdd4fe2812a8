// Publishing as the settle, in the embedded store: one immediate transaction over the job, its snapshots and their tables.
import type { JobRef } from '../../core/ids.ts';
import type { Publication, Published } from '../../job/ports.ts';
import type { RuleWrite } from '../../rule/rule.ts';
import { checkPublications, notPublishable } from '../publications.ts';
import { snapshotSchema, tableRecordSchema } from '../records.ts';
import { snapshotKey, tableKey } from '../table.ts';
import { applyRule } from './apply.ts';
import type { Database } from './database.ts';
import { readRow, saveRow } from './rows.ts';

export function publishAll(
  db: Database,
  ref: JobRef,
  write: RuleWrite,
  publications: readonly Publication[],
): Published {
  checkPublications(publications);
  return db.immediate(() => {
    const settled = applyRule(db, ref, write);
    if (settled.kind === 'refused') return settled;
    const superseded = publications.filter((each) => !publishOne(db, ref, each)).map((each) => each.snapshot);
    return { kind: 'applied', row: settled.row, superseded };
  });
}

/** Whether the pointer moved; the snapshot is superseded where a newer one is published already. */
function publishOne(db: Database, ref: JobRef, { dataset, table, snapshot, sequence, manifest }: Publication): boolean {
  const [snapshotAt, tableAt] = [snapshotKey(ref, dataset, table, sequence), tableKey(ref, dataset, table)];
  const [foundSnapshot, foundTable] = [readRow(db, snapshotAt), readRow(db, tableAt)];
  if (foundTable === undefined) throw notPublishable(`there is no table ${table}`);
  const partial = foundSnapshot === undefined ? undefined : snapshotSchema.parse(foundSnapshot);
  if (partial?.id !== snapshot || partial.status !== 'PARTIAL' || partial.job !== ref.id)
    throw notPublishable(`snapshot ${snapshot} is not this job's to publish`);
  const moves = (tableRecordSchema.parse(foundTable).current?.sequence ?? 0) < sequence;
  saveRow(db, snapshotAt, { ...foundSnapshot, status: moves ? 'READY' : 'SUPERSEDED' });
  if (moves) saveRow(db, tableAt, { ...foundTable, current: { snapshot, sequence, manifest } });
  return moves;
}
