// Bytes of uploads that no file is known by.
import type { DatasetId, Scope } from '../../core/ids.ts';
import { objectKey } from '../../core/objects.ts';
import { days } from '../../core/time.ts';
import { rowsOf } from './rows.ts';
import { isOld, objectsBelow, type SweepDeps, type SweepRules } from './sweep.ts';

/** Longer than an upload can be completed: bytes without a row are then nobody's. */
const FILE_GRACE = days(2);

/** Bytes of files that no row names: their request died, or the removal of the file did. Answers how many there were. */
export async function sweepFiles(
  { catalog, objects }: SweepDeps,
  { tenant, workspace }: Scope,
  dataset: DatasetId,
  { dryRun, now }: Pick<SweepRules, 'dryRun' | 'now'>,
): Promise<number> {
  const prefix = `${objectKey(tenant, workspace, 'datasets', dataset, 'files')}/`;
  const old: string[] = [];
  for await (const { key, writtenAt } of objectsBelow(objects, prefix))
    if (isOld(writtenAt, now, FILE_GRACE)) old.push(key);
  const known = new Set<string>();
  for await (const { objectKey: key } of rowsOf((page) => catalog.listFiles({ tenant, workspace }, dataset, page)))
    known.add(key);
  const unknown = old.filter((key) => !known.has(key));
  if (!dryRun) for (const key of unknown) await objects.delete(key);
  return unknown.length;
}
