import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../core/fault.ts';
import type { DatasetId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { Catalog, FileRecord } from '../catalog.ts';
import type { IngestInput } from '../input.ts';
import type { ListedTable, ReadLimits } from '../reading/types.ts';
import { readManifest } from '../manifest.ts';
import { requireFittingKeys } from './combine.ts';
import { received, type ReceivedTable } from './outputs.ts';
import { freshFolder, SOURCE, tableIdOf } from './place.ts';

interface Deps {
  readonly catalog: Catalog;
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

/**
 * Reads the whole file once: its size, its hash, whether it is what its name says, and which tables it holds. Only a file that may become
 * tables draws sequences. Faults: NOT_FOUND, INPUT_UNREADABLE, and those of `listTables`.
 */
export const createReceive = ({ catalog, objects, limits }: Deps) =>
  defineStage({
    ...received,
    run: async (ctx, { dataset, file: id, name, table: named, options, mode = 'replace', keys }: IngestInput) => {
      requireFittingKeys(mode, keys);
      const [file, owner] = await Promise.all([
        catalog.getFile(ctx.ref, dataset, id),
        catalog.getDataset(ctx.ref, dataset),
      ]);
      if (file === undefined) throw new Fault('NOT_FOUND', `There is no file ${id} in this dataset.`);
      const path = join(await ctx.folder(), SOURCE);
      const { bytes, sha256 } = await copy(ctx, objects, file, path);
      const workDir = await freshFolder(ctx, 'list');
      // Loaded when it is needed: whoever only names the pipeline is deployed without the readers.
      const { listTables } = await import('../reading/list-tables.ts');
      const listed = await listTables({ path, name, workDir, limits, options, signal: ctx.signal }, named);
      const { format, compression, warnings } = listed;
      const tables: ReceivedTable[] = [];
      for (const each of listed.tables) {
        const table = await drawn(ctx, catalog, dataset, each);
        const verbatim = mode === 'replace' ? undefined : await textColumns(ctx, { catalog, objects }, dataset, table);
        tables.push({ ...table, ...(verbatim && { verbatim }) });
      }
      const source = { name, format, compression, bytes, sha256 };
      const given = {
        ...(options && { options }),
        ...(owner?.policy && { policy: owner.policy }),
        ...(mode !== 'replace' && { mode }),
        ...(keys && { keys }),
      };
      return { dataset, objectKey: file.objectKey, source, tables, warnings: [...warnings], ...given };
    },
  });

async function drawn(
  ctx: StageContext,
  catalog: Catalog,
  dataset: DatasetId,
  { name: tableName, within, entry }: ListedTable,
): Promise<ReceivedTable> {
  const { tenant, workspace } = ctx.ref;
  const table = tableIdOf(ctx.ref, dataset, tableName);
  const sequence = await catalog.drawSequence({ tenant, workspace }, dataset, table, tableName, ctx.clock.now());
  return { table, tableName, sequence, ...(within && { within }), ...(entry && { entry }) };
}

/** Columns of the published table that hold text: what is added to them stays as it is written, whatever it looks like. */
async function textColumns(
  ctx: StageContext,
  { catalog, objects }: Pick<Deps, 'catalog' | 'objects'>,
  dataset: DatasetId,
  { table }: ReceivedTable,
): Promise<string[] | undefined> {
  const current = (await catalog.getTable(ctx.ref, dataset, table))?.current;
  if (current === undefined) return undefined;
  const { columns, warnings } = await readManifest(objects, current.manifest);
  // Of a column without a value nobody knows what it holds.
  const unknown = new Set(warnings.filter(({ code }) => code === 'COLUMN_EMPTY').map(({ column }) => column));
  return columns.filter(({ name, type }) => type === 'VARCHAR' && !unknown.has(name)).map(({ name }) => name);
}

async function copy(ctx: StageContext, objects: Objects, file: FileRecord, path: string) {
  const source = await objects.read(file.objectKey);
  if (source === undefined) throw new Fault('INPUT_UNREADABLE', 'The bytes of the file are gone.');
  const hash = createHash('sha256');
  let bytes = 0;
  const meter = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      bytes += chunk.length;
      ctx.progress(bytes, file.size, 'receive');
      done(null, chunk);
    },
  });
  await pipeline(source, meter, createWriteStream(path), { signal: ctx.signal });
  return { bytes, sha256: hash.digest('hex') };
}
