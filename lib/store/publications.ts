// What both stores ask of the tables that a job publishes, before they ask the rows.
import { Fault } from '../core/fault.ts';
import type { DatasetId, SnapshotId, TableId } from '../core/ids.ts';
import type { TableRecord } from '../ingest/catalog.ts';
import { type JobStore, MAX_PUBLICATIONS, type Publication } from '../job/ports.ts';
import type { RuleWrite } from '../rule/rule.ts';

/** Throws the Fault LIMIT_EXCEEDED for too many tables, and a TypeError for a table that is named twice. */
export function checkPublications(publications: readonly Publication[]): void {
  if (publications.length > MAX_PUBLICATIONS)
    throw new Fault('LIMIT_EXCEEDED', `A job may publish at most ${MAX_PUBLICATIONS} tables.`);
  const tables = new Set(publications.map(({ dataset, table }) => `${dataset} ${table}`));
  if (tables.size < publications.length) throw new TypeError('a table is published twice');
}

/** The fault of a publication whose rows are not what receiving the file made. */
export const notPublishable = (what: string): Fault => new Fault('INTERNAL', `Cannot publish: ${what}.`);

/** The fault of rows that were added to a snapshot which is the published one no more. */
export const baseMoved = (table: TableId): Fault =>
  new Fault('BASE_MOVED', `The table ${table} was published anew meanwhile; nothing was published.`);

/** Whether the table is published as what this publication is not: a table stays uploaded, or derived. */
export const isOtherwise = ({ sources }: Publication, current: TableRecord['current']): boolean =>
  current !== undefined && (current.sources === undefined) !== (sources === undefined);

/** The fault of a publication where `isOtherwise`. */
export const otherwise = ({ table, sources }: Publication): Fault =>
  sources === undefined
    ? new Fault('TABLE_DERIVED', `The table ${table} is derived.`)
    : new Fault('TABLE_UPLOADED', `The table ${table} holds the rows of a file.`);

/** Where the pointer of the table leads once it is published. */
export const pointerOf = ({ snapshot, sequence, manifest, sources }: Publication): TableRecord['current'] => ({
  ...{ snapshot, sequence, manifest },
  ...(sources && { sources }),
});

/** The fault of a table that is deleted, or was purged since its file was received. */
export const goneTable = (table: string): Fault =>
  new Fault('GONE', `The table ${table} is deleted: nothing is published into it.`);

/** The same of a dataset, and of one that was made anew under the name of another. */
export const goneDataset = (dataset: DatasetId): Fault =>
  new Fault('GONE', `The dataset ${dataset} is deleted: nothing is published into it.`);

export type ResultFor = Parameters<JobStore['publish']>[3];

/** The settle with the result that says what is superseded. */
export async function withResultFor(
  write: RuleWrite,
  superseded: readonly SnapshotId[],
  resultFor: ResultFor,
): Promise<RuleWrite> {
  if (resultFor === undefined || superseded.length === 0) return write;
  return { ...write, params: { ...write.params, result: await resultFor(superseded) } };
}
