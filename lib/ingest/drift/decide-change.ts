// Deciding about a rename: the decision is written first, with what it carries along; carrying may then be repeated by whoever asks again.
import type { Documents } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import type { Clock } from '../../core/time.ts';
import type { Catalog } from '../catalog.ts';
import { readManifest, snapshotRef } from '../manifest.ts';
import type { Objects } from '../../core/objects.ts';
import { carry, takeBack, toCarry } from './carry.ts';
import {
  type ChangeDecision,
  changeFamily,
  changePlace,
  changesOf,
  type Decisions,
  type SchemaChange,
  sequenceOf,
  type TablePlace,
  withDecision,
  withoutDecision,
} from './changes.ts';
import type { Changes } from './compare-columns.ts';

export interface ChangeDeps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly clock: Clock;
}

const none: Decisions = { decisions: [] };

/** What changed in a snapshot that was published. Throws Fault NOT_FOUND. */
async function changesAt({ catalog, objects }: ChangeDeps, place: TablePlace, id: string): Promise<Changes> {
  const found = await catalog.getSnapshotAt(place, place.dataset, place.table, sequenceOf(id));
  if (found?.status !== 'READY' || found.manifest === undefined)
    throw new Fault('NOT_FOUND', `There is no change ${id} of this table.`);
  return (await readManifest({ catalog, objects }, snapshotRef(found, found.manifest))).changes;
}

/** Throws Fault NOT_FOUND. */
export async function changeNamed(deps: ChangeDeps, place: TablePlace, id: string): Promise<SchemaChange> {
  const changes = await changesAt(deps, place, id);
  const found = await changeFamily(deps.documents).get(changePlace(place, sequenceOf(id)));
  return changeIn(id, changes, found?.body ?? none);
}

function changeIn(id: string, changes: Changes, decisions: Decisions): SchemaChange {
  const change = changesOf(sequenceOf(id), changes, decisions).find((each) => each.id === id);
  if (change === undefined) throw new Fault('NOT_FOUND', `There is no change ${id} of this table.`);
  return change;
}

type Decide = (change: SchemaChange, decisions: Decisions) => Decisions | undefined;

/** One conditional write decides: `decide` sees what stands, and answers what will; undefined where it stands already. */
async function write(deps: ChangeDeps, place: TablePlace, id: string, decide: Decide): Promise<SchemaChange> {
  const changes = await changesAt(deps, place, id);
  const after = await changeFamily(deps.documents).change(changePlace(place, sequenceOf(id)), (found = none) =>
    decide(changeIn(id, changes, found), found),
  );
  return changeIn(id, changes, after ?? none);
}

const conflict = (detail: string): Fault => new Fault('CONFLICT', detail);

/**
 * The removed column is called `column` now: the likeliest candidate where none is named. Throws Fault NOT_FOUND, and CONFLICT where it is
 * no candidate, is decided otherwise, or another column was given the name.
 */
export async function confirmRename(
  deps: ChangeDeps,
  place: TablePlace,
  { id, column, by }: { readonly id: string; readonly column?: string | undefined; readonly by: string },
): Promise<SchemaChange> {
  const { before, candidates = [] } = await changeNamed(deps, place, id);
  const to = column ?? candidates[0]?.to;
  if (before === undefined || to === undefined || !candidates.some((each) => each.to === to))
    throw conflict(`The change ${id} is no rename that could be confirmed${column ? ` to ${column}` : ''}.`);
  const carried = await toCarry(deps.documents, place, before.column, to);
  const decision: ChangeDecision = {
    ...{ status: 'confirmed', from: before.column, to, by, at: deps.clock.now() },
    ...(carried && { carried }),
  };
  const change = await write(deps, place, id, (found, decisions) => {
    if (found.status === 'confirmed' && found.after?.column === to) return undefined;
    if (found.kind === 'RENAMED' && found.status === 'applied') throw conflict('The rename is applied already.');
    if (found.status !== 'waiting' && found.status !== 'undone') throw conflict(`The change is ${found.status}.`);
    const rival = decisions.decisions.find((each) => each.status === 'confirmed' && each.to === to);
    if (rival) throw conflict(`The column ${rival.from} is called ${to} already.`);
    return withDecision(decisions, decision);
  });
  if (change.decision?.carried) await carry(deps.documents, place, to, change.decision.carried);
  return change;
}

/** The removed column has no other name. Throws Fault NOT_FOUND, and CONFLICT where it is no candidate, or is confirmed. */
export const rejectRename = (
  deps: ChangeDeps,
  place: TablePlace,
  { id, by }: { readonly id: string; readonly by: string },
) =>
  write(deps, place, id, ({ kind, status, before }, decisions) => {
    if (status === 'rejected') return undefined;
    if (kind !== 'RENAMED_CANDIDATE' || before === undefined) throw conflict(`The change ${id} waits for nobody.`);
    return withDecision(decisions, { status: 'rejected', from: before.column, by, at: deps.clock.now() });
  });

/** What was decided is open again; what a rename carried along is taken back. Throws Fault NOT_FOUND, and CONFLICT where nothing was. */
export async function undoChange(
  deps: ChangeDeps,
  place: TablePlace,
  { id, by }: { readonly id: string; readonly by: string },
): Promise<SchemaChange> {
  const { decision, before, after, kind, status } = await changeNamed(deps, place, id);
  const automatic = kind === 'RENAMED' && status === 'applied';
  if (before === undefined || (decision === undefined && !automatic))
    throw conflict(`Nothing was decided about ${id}.`);
  if (status === 'undone') return changeNamed(deps, place, id);
  if (after && decision?.carried) await takeBack(deps.documents, place, after.column, decision.carried);
  const undone: ChangeDecision = { status: 'undone', from: before.column, by, at: deps.clock.now() };
  return write(deps, place, id, (found, decisions) => {
    if (found.status !== status) throw conflict('It was decided otherwise meanwhile.');
    return automatic ? withDecision(decisions, undone) : withoutDecision(decisions, before.column);
  });
}
