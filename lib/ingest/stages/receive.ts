import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { DatasetId, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { Catalog, FileRecord } from '../catalog.ts';
import type { Found, Looked, Receiving } from '../chunks/receiving.ts';
import type { SurveyThreads } from '../chunks/survey-threads.ts';
import type { IngestInput } from '../input.ts';
import { requireRoom } from '../quota.ts';
import { splitName, tableNameOf } from '../formats/extensions.ts';
import { fileBytes } from '../formats/bytes.ts';
import { compressionOfName } from '../formats/compression/kinds.ts';
import type { ListedTable, ReadLimits } from '../reading/types.ts';
import { isPublished, publishedRef, readManifest } from '../manifest.ts';
import { noteTables } from '../deletion/note-tables.ts';
import { takeList } from '../union/take-list.ts';
import { requireFittingKeys } from './combine.ts';
import { received, type ReceivedTable } from './outputs.ts';
import { freshFolder, SOURCE, tableIdOf } from './place.ts';

interface Deps {
  readonly catalog: Catalog;
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly workspaceBytes: number | undefined;
  readonly surveyThreads?: SurveyThreads | undefined;
}

/**
 * Reads the whole file once: its size, its hash, whether it is what its name says, and which tables it holds; of a large text also what
 * its columns are. Only a file that may become tables draws sequences. Faults: NOT_FOUND, INPUT_UNREADABLE, FILE_TOO_LARGE, and those of
 * `listTables`.
 */
export const createReceive = (deps: Deps) =>
  defineStage({
    ...received,
    run: async (ctx, input: IngestInput) => {
      const { dataset, file: id, options, mode = 'replace', keys } = input;
      requireFittingKeys(mode, keys);
      const [file, owner] = await Promise.all([
        deps.catalog.getFile(ctx.ref, dataset, id),
        deps.catalog.getDataset(ctx.ref, dataset),
      ]);
      if (file === undefined) throw new Fault('NOT_FOUND', `There is no file ${id} in this dataset.`);
      // Publishing tests it again: this spares the reading of what could not be published.
      await requireRoom(deps.catalog, ctx.ref, { bytes: 0, most: deps.workspaceBytes });
      const found = await look(ctx, deps, input, file);
      if (found.kind === 'continue') return found.answer;
      await noteTables(
        deps.catalog,
        file,
        found.of.tables.map(({ table }) => table),
      );
      const given = {
        ...(options && { options }),
        ...(owner && { datasetCreatedAt: owner.createdAt }),
        ...(owner?.policy && { policy: owner.policy }),
        ...(mode !== 'replace' && { mode }),
        ...(keys && { keys }),
      };
      return { dataset, objectKey: file.objectKey, ...found.of, ...given };
    },
  });

/** How much smaller than a chunk a compressed file may be whose text is looked at for being larger. */
const COMPRESSED_SHARE = 8;

async function look(ctx: StageContext, deps: Deps, input: IngestInput, file: FileRecord): Promise<Looked> {
  if (file.files !== undefined) return lookAtList(ctx, deps, input, file);
  if (input.fileColumn !== undefined)
    throw new Fault('OPTION_MISFIT', 'A column for the name of the file is of several files that are one table.', {
      extra: { option: 'fileColumn' },
    });
  const { name, table: as, dataset, options = {} } = input;
  const receiving: Receiving = {
    ...{ objects: deps.objects, limits: deps.limits, threads: deps.surveyThreads },
    ...{ dataset, file, name, as, options },
    take: (listed) => taken(ctx, deps, input, listed),
    hold: (table) => held(ctx, deps.catalog, dataset, table),
    whole: () => lookAtWhole(ctx, deps, input, file),
  };
  const { compression } = compressionOfName(name);
  if (compression !== 'none' && COMPRESSED_SHARE * file.size > deps.limits.chunkBytes)
    return (await import('../chunks/receive-packed.ts')).receivePacked(ctx, receiving);
  if (file.size > deps.limits.chunkBytes)
    return (await import('../chunks/receive-text.ts')).receiveText(ctx, receiving);
  return { kind: 'found', of: await receiving.whole() };
}

/** Several files that are one table: they are taken, and read when they are parsed, unless they are too large for that. */
async function lookAtList(ctx: StageContext, deps: Deps, input: IngestInput, file: FileRecord): Promise<Looked> {
  const { options = {}, dataset, fileColumn, table: name = tableNameOf(splitName(input.name).stem) } = input;
  const { list, sha256, bytes, how } = await takeList(ctx, deps, file, options);
  const draw = () => taken(ctx, deps, input, { name });
  const table = how === 'whole' ? await draw() : await ctx.step('sequence', draw);
  const found: Found = {
    source: { name: input.name, format: 'files', compression: 'none', bytes, sha256, files: list.files.length },
    tables: [table],
    warnings: [],
    list: { ...(fileColumn !== undefined && { fileColumn }) },
  };
  if (how === 'whole') return { kind: 'found', of: found };
  const { receiveLargeList } = await import('../union/large/receive-list.ts');
  const came = await receiveLargeList(ctx, { ...deps, dataset, table, list, options, fileColumn, how });
  if (came.kind === 'continue') return came;
  return { kind: 'found', of: { ...found, ...(came.value !== undefined && { plans: [came.value] }) } };
}

async function lookAtWhole(ctx: StageContext, deps: Deps, input: IngestInput, file: FileRecord): Promise<Found> {
  const { name, table: named, options } = input;
  const path = join(await ctx.folder(), SOURCE);
  const { bytes, sha256 } = await copy(ctx, deps.objects, file, path);
  const workDir = await freshFolder(ctx, 'list');
  // Loaded when it is needed: whoever only names the pipeline is deployed without the readers.
  const { listTables } = await import('../reading/list-tables.ts');
  const listed = await listTables({ path, name, workDir, limits: deps.limits, options, signal: ctx.signal }, named);
  const { format, compression, warnings } = listed;
  const tables: ReceivedTable[] = [];
  for (const each of listed.tables) tables.push(await taken(ctx, deps, input, each));
  return { source: { name, format, compression, bytes, sha256 }, tables, warnings: [...warnings] };
}

/** A table with its sequence, and what its columns have to remain where rows are added. */
async function taken(
  ctx: StageContext,
  deps: Deps,
  { dataset, mode = 'replace' }: IngestInput,
  listed: ListedTable,
): Promise<ReceivedTable> {
  const table = await drawn(ctx, deps.catalog, dataset, listed);
  const verbatim = mode === 'replace' ? undefined : await textColumns(ctx, deps, dataset, table);
  return { ...table, ...(verbatim && { verbatim }) };
}

/** Its row is there from then on, so that what stands below its id is swept with it. */
async function held(ctx: StageContext, catalog: Catalog, dataset: DatasetId, name: string): Promise<TableId> {
  const table = tableIdOf(ctx.ref, dataset, name);
  await catalog.drawSequence(ctx.ref, dataset, table, name, ctx.clock.now());
  return table;
}

async function drawn(
  ctx: StageContext,
  catalog: Catalog,
  dataset: DatasetId,
  { name: tableName, within, entry }: ListedTable,
): Promise<ReceivedTable> {
  const { tenant, workspace } = ctx.ref;
  const table = tableIdOf(ctx.ref, dataset, tableName);
  const current = (await catalog.getTable(ctx.ref, dataset, table))?.current;
  if (current?.sources !== undefined) throw new Fault('TABLE_DERIVED', `The table ${tableName} is derived.`);
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
  const found = await catalog.getTable(ctx.ref, dataset, table);
  if (!isPublished(found)) return undefined;
  const { columns, warnings } = await readManifest({ catalog, objects }, publishedRef(found));
  // Of a column without a value nobody knows what it holds.
  const unknown = new Set(warnings.filter(({ code }) => code === 'COLUMN_EMPTY').map(({ column }) => column));
  return columns.filter(({ name, type }) => type === 'VARCHAR' && !unknown.has(name)).map(({ name }) => name);
}

/** The file as a local one: its size and its hash, which is taken once it is here, since a stream costs more than reading it again. */
async function copy(ctx: StageContext, objects: Objects, file: FileRecord, path: string) {
  if (!(await objects.download(file.objectKey, path, ctx.signal)))
    throw new Fault('INPUT_UNREADABLE', 'The bytes of the file are gone.');
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of fileBytes(path)()) {
    ctx.signal.throwIfAborted();
    hash.update(piece);
    bytes += piece.length;
    ctx.progress(bytes, file.size, 'receive');
  }
  return { bytes, sha256: hash.digest('hex') };
}
