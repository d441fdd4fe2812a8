import { rm } from 'node:fs/promises';
import { must } from '../../core/check.ts';
import type { Documents } from '../../core/documents.ts';
import { Fault } from '../../core/fault.ts';
import { type DatasetId, derivedId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { Catalog } from '../catalog.ts';
import type { Manifest } from '../manifest-schema.ts';
import { breakingChanges, compareColumns, movedColumns, type Sketches } from '../drift/compare-columns.ts';
import { awaitApproval } from '../drift/await-approval.ts';
import { carry, toCarry } from '../drift/carry.ts';
import { changeFamily, changePlace, withDecision } from '../drift/changes.ts';
import type { Review } from '../drift/review.ts';
import { snapshotHash } from '../drift/snapshot-hash.ts';
import { isRead } from '../long-names.ts';
import { isPublished, publishedRef, readManifest } from '../manifest.ts';
import { policyOf } from '../policy.ts';
import { requireShort } from '../reading/long-name.ts';
import type { Column, ReadLimits } from '../reading/types.ts';
import { inRuns } from '../chunks/in-runs.ts';
import { addRows, addRowsInSteps } from './combine.ts';
import {
  type CombinedRows,
  type Parsed,
  type ParsedTable,
  type Received,
  received,
  type ReceivedTable,
  reconciled,
  type ReconciledTable,
} from './outputs.ts';
import { freshFolder, localCopy } from './place.ts';

interface Deps {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/**
 * Compares the columns with those of the published snapshot, and makes this one's row, PARTIAL. A sequence is drawn by one run of receive
 * only, so the row that is found when this stage is run again is its own. What breaks queries waits, or is refused, as the policy says.
 */
export const createReconcile = (deps: Deps) =>
  defineStage({
    ...reconciled,
    run: async (ctx, read: Parsed) => {
      const file = await ctx.outputOf(received);
      const { drift, reviewDays } = policyOf(file.policy);
      const large = await inRuns(ctx, (step) => addToLarge(ctx, deps, { file, read, step }));
      if (large.kind === 'continue') return large.answer;
      const compare = () => reconcileAll(ctx, deps, { file, read, large: large.value });
      // Kept while it waits: what is approved is what was compared.
      const tables = drift === 'review' ? await ctx.step('compare', compare) : await compare();
      const breaking = breakingTables(file, tables);
      if (breaking.length > 0 && drift === 'strict') throw new Fault('DRIFT_REFUSED', sentencesOf(breaking));
      if (breaking.length > 0 && drift === 'review')
        await awaitApproval(ctx, deps.documents, { dataset: file.dataset, tables: breaking, days: reviewDays });
      for (const [index, { changes }] of tables.entries())
        await carryRenames(ctx, deps, file.dataset, must(file.tables[index], 'a table'), changes);
      return { tables };
    },
  });

/** Before the stages that go by what people said, so that a tag of personal data counts for the new name too. */
async function carryRenames(
  { ref: { tenant, workspace }, clock }: StageContext,
  { documents }: Deps,
  dataset: DatasetId,
  { table, sequence }: ReceivedTable,
  { renamed = [] }: ReconciledTable['changes'],
): Promise<void> {
  const place = { tenant, workspace, dataset, table };
  for (const { from, to } of renamed) {
    const carried = await toCarry(documents, place, from, to);
    if (carried === undefined) continue;
    await changeFamily(documents).change(changePlace(place, sequence), (found = { decisions: [] }) =>
      withDecision(found, { status: 'automatic', from, to, at: clock.now(), carried }),
    );
    await carry(documents, place, to, carried);
  }
}

interface Given {
  readonly file: Received;
  readonly read: Parsed;
}

/** By its place in the file, a table whose rows take longer to add than one run may have. */
type LargeOnes = ReadonlyMap<number, CombinedRows>;

async function addToLarge(
  ctx: StageContext,
  deps: Deps,
  { file, read, step }: Given & { readonly step: StageContext['step'] },
): Promise<LargeOnes> {
  const large = new Map<number, CombinedRows>();
  if (file.mode === undefined) return large;
  for (const [index, table] of file.tables.entries()) {
    const { base } = await publishedOf(ctx, deps, file, table);
    const adding = { file, table, read: must(read.tables[index], 'a table that was read'), base };
    const combined = await addRowsInSteps(ctx, deps, { ...adding, step });
    if (combined !== undefined) large.set(index, combined);
  }
  return large;
}

async function reconcileAll(ctx: StageContext, deps: Deps, given: Given & { readonly large: LargeOnes }) {
  const tables: ReconciledTable[] = [];
  for (const { columns } of given.read.tables) requireShort(columns);
  for (const index of given.file.tables.keys()) tables.push(await reconcileTable(ctx, deps, given, index));
  return tables;
}

/** What is published of a table. */
async function publishedOf(ctx: StageContext, deps: Deps, { dataset }: Received, { table }: ReceivedTable) {
  const { tenant, workspace } = ctx.ref;
  const published = await deps.catalog.getTable({ tenant, workspace }, dataset, table);
  const current = published?.current;
  const before = isPublished(published) ? await readManifest(deps, publishedRef(published)) : undefined;
  return { current, before, base: current && before && { snapshot: current.snapshot, manifest: before } };
}

function breakingTables({ tables: named }: Received, tables: readonly ReconciledTable[]): Review['tables'] {
  return tables.flatMap(({ snapshot, changes }, index) => {
    const { table, tableName } = must(named[index], 'the table of its changes');
    const breaking = breakingChanges(changes);
    return breaking.length === 0 ? [] : [{ table, tableName, snapshot, changes, breaking }];
  });
}

/** What a fault names at most. */
const SENTENCES = 10;

function sentencesOf(tables: Review['tables']): string {
  const all = tables.flatMap(({ tableName, breaking }) => breaking.map((each) => `${tableName}: ${each}`));
  const more = all.length > SENTENCES ? [`There are ${all.length - SENTENCES} more.`] : [];
  return [...all.slice(0, SENTENCES), ...more].join(' ');
}

async function reconcileTable(
  ctx: StageContext,
  deps: Deps,
  { file, read: parsed, large }: Given & { readonly large: LargeOnes },
  index: number,
): Promise<ReconciledTable> {
  const [named, read] = [must(file.tables[index], 'a table'), must(parsed.tables[index], 'a table that was read')];
  const { dataset, mode } = file;
  const { table, sequence } = named;
  const { tenant, workspace, id: job } = ctx.ref;
  const { current, before, base } = await publishedOf(ctx, deps, file, named);
  const added = large.get(index);
  const isOnIt = added !== undefined && added.base === base?.snapshot;
  const combined = mode && (isOnIt ? added : await addRows(ctx, deps, { file, table: named, read, base }));
  const changes = await changesSince(ctx, deps, before, combined ?? read);
  const snapshot = derivedId('snap', tenant, workspace, table, String(sequence), job);
  const { columns, rowCount } = combined ?? read;
  await deps.catalog.putSnapshot({
    ...{ tenant, workspace, dataset, table, id: snapshot, sequence, status: 'PARTIAL', job },
    ...{ rowCount, columnCount: columns.length, hash: snapshotHash(columns), createdAt: ctx.clock.now() },
  });
  const against = current && { snapshot: current.snapshot, sequence: current.sequence };
  return { snapshot, changes: { ...changes, ...(against && { against }) }, ...(combined && { combined }) };
}

async function changesSince(ctx: StageContext, deps: Deps, before: Manifest | undefined, read: ParsedTable) {
  if (before === undefined) return compareColumns({ columns: [], rowCount: 0 }, read.columns);
  const { removed, added } = movedColumns(before.columns, read.columns);
  if (removed.length === 0 || added.length === 0) return compareColumns(before, read.columns);
  const sketches = {
    before: await sketch(ctx, deps, before.parts, removed),
    after: await sketch(ctx, deps, read.parts, added),
  };
  return compareColumns(before, read.columns, sketches);
}

/** Bytes of a snapshot's parts, and columns of it, whose values are looked at: enough to tell, and no more to fetch. */
const SKETCHED_BYTES = 256 * 1024 ** 2;
const SKETCHED_COLUMNS = 64;

async function sketch(
  ctx: StageContext,
  { objects, limits }: Deps,
  parts: Manifest['parts'],
  columns: readonly Column[],
): Promise<Sketches['before']> {
  // Each column is asked for by itself, of a file whose names are all read each time.
  const some = columns.filter(({ name }) => isRead(name)).slice(0, SKETCHED_COLUMNS);
  if (some.length === 0) return new Map();
  const parquetPaths: string[] = [];
  let bytes = 0;
  for (const [index, part] of parts.entries()) {
    bytes += part.bytes;
    if (index > 0 && bytes > SKETCHED_BYTES) break;
    parquetPaths.push(await localCopy(ctx, objects, part.key, `sketched-${index}`));
  }
  if (parquetPaths.length === 0) return new Map();
  const workDir = await freshFolder(ctx, 'sketch');
  // Loaded when it is needed, as in the stages before.
  const { sketchColumns } = await import('../drift/sketch-columns.ts');
  const sketches = await sketchColumns({ parquetPaths, columns: some, workDir, limits, signal: ctx.signal });
  ctx.signal.throwIfAborted();
  await Promise.all(parquetPaths.map((path) => rm(path)));
  return sketches;
}
