// Deleting, and taking it back: one conditional write each. The purge that is to come is submitted before, so that it is never forgotten; it
// leaves alone what is not deleted as it says.
import { Fault } from '../../core/fault.ts';
import { days, later } from '../../core/time.ts';
import { submitJob, type SubmitEngine } from '../../job/submit/submit.ts';
import type { Catalog, Dataset, TableRecord } from '../catalog.ts';
import { policyOf } from '../policy.ts';
import { afterIngest } from '../search/after-ingest.ts';
import { purgeLater } from './kinds.ts';
import type { Deletable, Deletion } from './ports.ts';

type Deps = SubmitEngine & { readonly catalog: Catalog };
interface Ids {
  readonly correlationId: string;
}

/** Throws the Fault CONFLICT where it was deleted, or made anew, meanwhile. */
export async function deleteTable(deps: Deps, owner: Dataset, table: TableRecord, ids: Ids): Promise<Deletion> {
  const { tenant, workspace, dataset, id } = table;
  const deletion = deletionNow(deps, owner);
  await purgeLater(deps, { tenant, workspace, dataset, table: id }, deletion, ids.correlationId);
  if ((await deps.catalog.deleteTable(table, deletion)) === 'moved') throw moved();
  await followIndex(deps, table, ids);
  return deletion;
}

/** The same. */
export async function deleteDataset(deps: Deps, owner: Dataset, ids: Ids): Promise<Deletion> {
  const { tenant, workspace, id: dataset } = owner;
  const deletion = deletionNow(deps, owner);
  await purgeLater(deps, { tenant, workspace, dataset }, deletion, ids.correlationId);
  if ((await deps.catalog.deleteDataset(owner, deletion)) === 'moved') throw moved();
  await followIndex(deps, { tenant, workspace, dataset }, ids);
  return deletion;
}

const deletionNow = ({ clock }: Deps, { policy }: Dataset): Deletion => {
  const at = clock.now();
  return { at, until: later(at, days(policyOf(policy).restoreDays)) };
};

const moved = (): Fault => new Fault('CONFLICT', 'It was changed or deleted at the same time.');

/** Throws the Faults NOT_FOUND, CONFLICT where it is not deleted, and GONE where its purge has begun. */
export async function restoreDeleted(deps: Deps, thing: Deletable, ids: Ids): Promise<void> {
  const found = await deps.catalog.standingOf(thing);
  if (found === undefined) throw new Fault('NOT_FOUND', 'There is no such table or dataset in this workspace.');
  if (found.purgedBy !== undefined) throw new Fault('GONE', `${found.name} is being purged.`);
  if (found.deletion === undefined) throw new Fault('CONFLICT', `${found.name} is not deleted.`);
  if ((await deps.catalog.restore(thing, found.deletion)) === 'moved') throw moved();
  await followIndex(deps, thing, ids);
}

/** Search shows what is published now in any case; its index follows. */
async function followIndex(
  deps: Deps,
  { tenant, workspace, dataset }: Deletable,
  { correlationId }: Ids,
): Promise<void> {
  await submitJob(deps, { scope: { tenant, workspace }, ...afterIngest(dataset), correlationId });
}
