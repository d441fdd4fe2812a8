// Where ingest keeps things: on the local disk of one invocation, and in the object store under keys of one attempt.
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '../../core/remove-folder.ts';
import { Fault } from '../../core/fault.ts';
import { type DatasetId, derivedId, type Scope, type TableId } from '../../core/ids.ts';
import { objectKey, type Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';

/** Tables are told apart without regard to case, as SQL does. */
export const tableIdOf = ({ tenant, workspace }: Scope, dataset: DatasetId, name: string): TableId =>
  derivedId('tbl', tenant, workspace, dataset, name.toLowerCase());

/** What the keys of all attempts of this job for one table begin with. */
export const jobFolder = ({ ref }: Pick<StageContext, 'ref'>, dataset: DatasetId, table: TableId): string =>
  `${objectKey(ref.tenant, ref.workspace, 'datasets', dataset, 'tables', table, ref.id)}/`;

/** The same of this attempt. */
export const runFolder = (ctx: Pick<StageContext, 'ref' | 'epoch'>, dataset: DatasetId, table: TableId): string =>
  `${jobFolder(ctx, dataset, table)}${objectKey(ctx.epoch)}/`;

/** A key of this attempt of this job for one table. */
export const attemptKey = (
  ctx: Pick<StageContext, 'ref' | 'epoch'>,
  dataset: DatasetId,
  table: TableId,
  file: string,
): string => `${runFolder(ctx, dataset, table)}${objectKey(file)}`;

/** An empty folder for one call, inside the step's. */
export async function freshFolder(ctx: StageContext, name: string): Promise<string> {
  const path = join(await ctx.folder(), name);
  await rm(path, { recursive: true, force: true });
  await mkdir(path);
  return path;
}

/** The object as a local file: as an earlier stage of this invocation left it, else fetched. Throws the Fault INPUT_UNREADABLE. */
export async function localCopy(ctx: StageContext, objects: Objects, key: string, name: string): Promise<string> {
  const path = join(await ctx.folder(), name);
  const kept = await stat(path).catch(() => undefined);
  if (kept !== undefined) return path;
  const part = `${path}.part`;
  if (!(await objects.download(key, part, ctx.signal)))
    throw new Fault('INPUT_UNREADABLE', `The object ${key} is gone.`);
  ctx.signal.throwIfAborted();
  await rename(part, path);
  return path;
}

/** Calls `use` with the parts of a table as local files, in their order. They are gone when it ends, so that those of the next table have their room. */
export async function withLocalParts<T>(
  ctx: StageContext,
  objects: Objects,
  parts: readonly { readonly key: string }[],
  use: (parquetPaths: readonly string[]) => Promise<T>,
): Promise<T> {
  const folder = await freshFolder(ctx, 'parts');
  try {
    const paths: string[] = [];
    for (const [at, { key }] of parts.entries())
      paths.push(await localCopy(ctx, objects, key, join('parts', `${at}.parquet`)));
    return await use(paths);
  } finally {
    await removeFolder(folder);
  }
}

/** Throws the Fault INGEST_DISK where the disk has no room for so many bytes. */
export async function requireDisk(ctx: Pick<StageContext, 'folder'>, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(await ctx.folder());
  if (bytes <= bavail * bsize) return;
  throw new Fault(
    'INGEST_DISK',
    `A part of the table needs ${bytes} bytes of the disk, which has room for ${bavail * bsize}.`,
  );
}

/** The name, in the step's folder, of the file as it was uploaded. */
export const SOURCE = 'source';
/** The name of the table's one part, in the step's folder and in the object store. */
export const PART = 'part-00000.parquet';
/** The name of the report of the values that fit no type, in the object store. */
export const REJECTS = 'rejects.ndjson';

/** A key that is taken can only be this very upload, sent twice: its size tells. */
export async function putPart(objects: Objects, key: string, path: string, bytes: number): Promise<void> {
  if ((await objects.moveFileOnce(key, path)) === 'written') return;
  const found = await objects.head(key);
  if (found?.size !== bytes) throw new Fault('INTERNAL', `Another object stands at ${key}.`);
}
