// Rolling back: the rows of an older snapshot are published once more, under the next sequence. So it meets ingests under way as another
// ingest would, what was published since stays in the history, and it can be rolled back itself. No row is read or copied.
import * as z from 'zod';
import { Fault } from '../core/fault.ts';
import { derivedId, type Scope } from '../core/ids.ts';
import { type EpochMs, epochMs } from '../core/time.ts';
import { type Pipeline, pipeline } from '../pipeline/definition.ts';
import { defineStage, publish, type StageContext } from '../pipeline/stage.ts';
import { writeOnce } from '../pipeline/write-once.ts';
import { annotationsOf } from './annotations.ts';
import type { Catalog, SnapshotRecord } from './catalog.ts';
import { versionsOf } from './derive/derivation.ts';
import { type Manifest, manifestSchema } from './manifest-schema.ts';
import { compareColumns } from './drift/compare-columns.ts';
import { snapshotHash } from './drift/snapshot-hash.ts';
import { isPublished, publishedRef, readManifest, snapshotRef } from './manifest.ts';
import { hiddenManifest } from './overlay.ts';
import { policyOf } from './policy.ts';
import type { IngestDeps } from './pipeline.ts';
import { idOf } from './id-of.ts';
import { afterIngest } from './search/after-ingest.ts';
import { attemptKey } from './stages/place.ts';

const rollbackInput = z.lazy(() => z.strictObject({ dataset: idOf('ds'), table: idOf('tbl'), snapshot: idOf('snap') }));
export type RollbackInput = z.infer<typeof rollbackInput>;

const drawn = {
  name: 'draw',
  output: z.lazy(() =>
    rollbackInput.unwrap().extend({
      tableName: z.string(),
      sequence: z.int(),
      /** Which dataset of its id it was then. */
      datasetCreatedAt: z
        .int()
        .transform((value): EpochMs => epochMs(value))
        .optional(),
    }),
  ),
};
type Drawn = z.infer<typeof drawn.output>;

const resultSchema = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    table: idOf('tbl'),
    tableName: z.string(),
    snapshot: idOf('snap'),
    sequence: z.int(),
    /** A newer snapshot was published before this one, which is kept but never became visible. */
    superseded: z.boolean(),
    rolledBackTo: idOf('snap'),
  }),
);
export type RollbackResult = z.infer<typeof resultSchema>;

type Deps = Pick<IngestDeps, 'catalog' | 'documents' | 'objects'>;

/** Faults: NOT_FOUND, where the table or the snapshot is gone. Nothing of `deps` is touched before a stage runs. */
export const createRollback = (deps: Deps): Pipeline<RollbackResult> =>
  pipeline('rollback', { input: rollbackInput, version: '1' })
    .stage(createDraw(deps))
    .stage(createPublish(deps), { sharesStep: true });

/** A snapshot that was read whole. Throws Fault NOT_FOUND. */
export async function restorable(
  catalog: Pick<Catalog, 'getSnapshot'>,
  scope: Scope,
  { dataset, table, snapshot }: RollbackInput,
): Promise<SnapshotRecord & { readonly manifest: string }> {
  const found = await catalog.getSnapshot(scope, dataset, table, snapshot);
  if (found?.manifest === undefined || found.expiredAt !== undefined)
    throw new Fault('NOT_FOUND', `There is no snapshot ${snapshot} of this table.`);
  return { ...found, manifest: found.manifest };
}

const createDraw = ({ catalog }: Deps) =>
  defineStage({
    ...drawn,
    run: async (ctx, input: RollbackInput): Promise<Drawn> => {
      const { dataset, table: id } = input;
      await restorable(catalog, ctx.ref, input);
      const table = await catalog.getTable(ctx.ref, dataset, id);
      if (table === undefined) throw new Fault('NOT_FOUND', `There is no table ${id} in this dataset.`);
      const { tenant, workspace } = ctx.ref;
      const sequence = await catalog.drawSequence({ tenant, workspace }, dataset, id, table.name, ctx.clock.now());
      const owner = await catalog.getDataset(ctx.ref, dataset);
      return { ...input, tableName: table.name, sequence, datasetCreatedAt: owner?.createdAt };
    },
  });

const createPublish = (deps: Deps) =>
  defineStage({
    name: 'publish',
    output: resultSchema,
    run: async (ctx, made: Drawn) => {
      const { dataset, datasetCreatedAt, table, tableName, sequence, snapshot: rolledBackTo } = made;
      const { tenant, workspace, id: job } = ctx.ref;
      const old = await restorable(deps.catalog, ctx.ref, made);
      const manifest = await manifestAgain(ctx, deps, made, old);
      const snapshot = derivedId('snap', tenant, workspace, table, String(sequence), job);
      const { rowCount, columnCount } = old;
      await deps.catalog.putSnapshot({
        ...{ tenant, workspace, dataset, table, id: snapshot, sequence, status: 'PARTIAL', job },
        ...{ rowCount, columnCount, hash: snapshotHash(manifest.columns), createdAt: ctx.clock.now() },
      });
      const key = attemptKey(ctx, dataset, table, 'manifest.json');
      await writeOnce(deps.objects, key, JSON.stringify(manifest));
      const sources = manifest.derivation && { sources: versionsOf(manifest.derivation) };
      return publish<RollbackResult>({
        publications: [
          {
            ...{ dataset, datasetCreatedAt, table, snapshot, sequence, manifest: key },
            ...{ publishedAt: ctx.clock.now(), ...sources },
          },
        ],
        result: (superseded) => ({
          ...{ dataset, table, tableName, snapshot, sequence, rolledBackTo },
          superseded: superseded.includes(snapshot),
        }),
        warnings: manifest.warnings.length,
        next: afterIngest(dataset),
      });
    },
  });

/** The manifest of the old snapshot, with what it changes now, and without the values that people have tagged since. */
async function manifestAgain(
  ctx: StageContext,
  { catalog, documents, objects }: Deps,
  { dataset, table }: Drawn,
  old: SnapshotRecord & { readonly manifest: string },
): Promise<Manifest> {
  const published = await catalog.getTable(ctx.ref, dataset, table);
  if (!isPublished(published)) throw new Fault('GONE', `The table ${table} was deleted.`);
  const { current } = published;
  const before = await readManifest({ catalog, objects }, publishedRef(published));
  const again = await readManifest({ catalog, objects }, snapshotRef(old, old.manifest));
  const against = { snapshot: current.snapshot, sequence: current.sequence };
  // Who rolls back knows both sides: what came and went is no riddle to be put before anybody.
  const changes = { ...compareColumns(before, again.columns), candidates: [], against };
  const rolledBackTo = { snapshot: old.id, sequence: old.sequence };
  const { action } = policyOf((await catalog.getDataset(ctx.ref, dataset))?.policy).pii;
  const bare = hiddenManifest(again, await annotationsOf(documents, ctx.ref, dataset, table), action);
  return manifestSchema.parse({ ...bare, changes, rolledBackTo });
}
