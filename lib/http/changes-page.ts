// A page of how the columns of a table changed: of whole snapshots, as many as an answer holds.
import type { SnapshotRecord } from '../ingest/catalog.ts';
import { changeFamily, changePlace, changesOf, type SchemaChange, type TablePlace } from '../ingest/drift/changes.ts';
import { readManifest, snapshotRef } from '../ingest/manifest.ts';
import type { Page, PageRequest } from '../job/ports.ts';
import type { HttpDeps } from './deps.ts';

/** Of a snapshot under way, or that never became visible, nothing is told. */
async function changesIn(deps: HttpDeps, place: TablePlace, snapshot: SnapshotRecord) {
  const { status, manifest, sequence, expiredAt } = snapshot;
  if (status !== 'READY' || manifest === undefined || expiredAt !== undefined) return [];
  const [{ changes }, decided] = await Promise.all([
    readManifest(deps, snapshotRef(snapshot, manifest)),
    changeFamily(deps.documents).get(changePlace(place, sequence)),
  ]);
  return changesOf(sequence, changes, decided?.body ?? { decisions: [] });
}

async function changesOfPage(deps: HttpDeps, place: TablePlace, page: PageRequest): Promise<Page<SchemaChange>> {
  const { items, ...more } = await deps.catalog.listSnapshots(place, place.dataset, place.table, page);
  const changes = await Promise.all(items.map((snapshot) => changesIn(deps, place, snapshot)));
  return { items: changes.flat(), ...more };
}

/** Bytes of the changes of a page with more than one snapshot: Lambda answers at most 6 MB, and a wide table has 20,000 changes at once. */
const MOST_BYTES = 2_500_000;
const fits = (changes: readonly SchemaChange[]): boolean => Buffer.byteLength(JSON.stringify(changes)) <= MOST_BYTES;

/** As many snapshots as are asked for, or as fit; one at least. */
export async function fittingPage(deps: HttpDeps, place: TablePlace, page: PageRequest): Promise<Page<SchemaChange>> {
  const whole = await changesOfPage(deps, place, page);
  if (fits(whole.items)) return whole;
  let told = await changesOfPage(deps, place, { ...page, limit: 1 });
  for (let count = 1; count < page.limit && told.cursor !== undefined; count += 1) {
    const next = await changesOfPage(deps, place, { limit: 1, cursor: told.cursor });
    const items = [...told.items, ...next.items];
    if (!fits(items)) break;
    told = { ...next, items, unreadable: [...(told.unreadable ?? []), ...(next.unreadable ?? [])] };
  }
  return told;
}
