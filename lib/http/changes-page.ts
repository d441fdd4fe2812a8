// A page of how the columns of a table changed: of as many snapshots as an answer holds, the last of them in part where it has many changes.
import * as z from 'zod';
import type { SnapshotRecord } from '../ingest/catalog.ts';
import { changeFamily, changePlace, changesOf, type SchemaChange, type TablePlace } from '../ingest/drift/changes.ts';
import { readManifest, snapshotRef } from '../ingest/manifest.ts';
import type { Page, PageRequest } from '../job/ports.ts';
import type { HttpDeps } from './deps.ts';
import { fitting } from './fitting.ts';

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

/** Lambda answers at most 6 MB, and a wide table has 20,000 changes at once. */
const most = { items: Infinity, bytes: 2_500_000 };

/** A change by the two numbers of its id; the newest snapshot has the highest sequence. */
const placeSchema = z.lazy(() => z.strictObject({ sequence: z.int(), change: z.int() }));
type Place = z.infer<typeof placeSchema>;

const placeOf = ({ id }: SchemaChange): Place => {
  const [sequence = 0, change = 0] = id.split('-').map(Number);
  return { sequence, change };
};
const isBefore = (one: Place, other: Place): boolean =>
  one.sequence > other.sequence || (one.sequence === other.sequence && one.change < other.change);

/** Where a page begins: in a page of the store's, and at a change where that is not its first. */
const startSchema = z.lazy(() => z.strictObject({ cursor: z.string().optional(), at: placeSchema }));
interface Start {
  readonly cursor?: string | undefined;
  readonly at?: Place | undefined;
}

/** What the cursors begin with that lead into a snapshot; the others are the store's own. */
const WITHIN = 'within ';
const cursorOf = ({ cursor, at }: Start): string | undefined =>
  at === undefined ? cursor : WITHIN + JSON.stringify({ cursor, at });
const startOf = (cursor: string | undefined): Start =>
  cursor?.startsWith(WITHIN) === true ? startSchema.parse(JSON.parse(cursor.slice(WITHIN.length))) : { cursor };

/** The changes of as many snapshots as are asked for, or as fit; one change at least, where there is one. */
export async function fittingPage(deps: HttpDeps, table: TablePlace, page: PageRequest): Promise<Page<SchemaChange>> {
  const { cursor, at } = startOf(page.cursor);
  const read = await deps.catalog.listSnapshots(table, table.dataset, table.table, { limit: page.limit, cursor });
  const { items: snapshots, cursor: behind, ...rest } = read;
  // Some may have been published since the page before.
  const due = snapshots.filter(({ sequence }) => at === undefined || sequence <= at.sequence);
  const all = (await Promise.all(due.map((snapshot) => changesIn(deps, table, snapshot)))).flat();
  const left = all.filter((change) => at === undefined || !isBefore(placeOf(change), at));
  const items = fitting(left, most);
  const beyond = left[items.length];
  const inside = beyond ? cursorOf({ cursor, at: placeOf(beyond) }) : undefined;
  const outside =
    behind === undefined ? undefined : cursorOf({ cursor: behind, at: due.length === 0 ? at : undefined });
  const next = inside ?? outside;
  return { ...rest, items, ...(next !== undefined && { cursor: next }) };
}
