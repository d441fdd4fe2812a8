// The files of a list, taken where they lie in the bucket and are no files of the dataset yet.
import { createHash } from 'node:crypto';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Catalog, FileRecord } from '../catalog.ts';
import { quotaExceeded, requireRoom } from '../quota.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { ReadOptions } from '../options.ts';
import { type HowRead, howToRead } from './large/requires.ts';
import { type FileList, type ListedFile, readFileList } from './file-list.ts';

interface Deps {
  readonly catalog: Catalog;
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly workspaceBytes: number | undefined;
}

export interface TakenList {
  readonly list: FileList;
  readonly sha256: string;
  /** Of all files. */
  readonly bytes: number;
  readonly how: HowRead;
}

/** Faults: FILE_TOO_LARGE, INPUT_UNREADABLE, STORAGE_QUOTA_EXCEEDED. */
export async function takeList(
  ctx: StageContext,
  deps: Deps,
  record: FileRecord,
  options: ReadOptions,
): Promise<TakenList> {
  const { list, bytes: text } = await readFileList(deps.objects, record.objectKey);
  const bytes = list.files.reduce((sum, file) => sum + file.bytes, 0);
  const how = await howToRead({ list, bytes, options }, deps.limits);
  for (const [index, file] of list.files.entries()) {
    ctx.signal.throwIfAborted();
    await take(deps, record, file);
    ctx.progress(index + 1, list.files.length, 'files');
  }
  return { list, sha256: createHash('sha256').update(text).digest('hex'), bytes, how };
}

async function take({ catalog, objects, workspaceBytes: most }: Deps, record: FileRecord, file: ListedFile) {
  const { id, key: objectKey, name, bytes: size, from } = file;
  if (from === undefined) return;
  if ((await objects.head(objectKey)) === undefined) await requireRoom(catalog, record, { bytes: size, most });
  const copied = await objects.copyOnce(from, objectKey);
  if (copied === 'missing' || copied === 'changed') {
    const what = copied === 'missing' ? 'was removed' : 'has changed';
    throw new Fault('INPUT_UNREADABLE', `In ${JSON.stringify(name)}: The object ${what} since it was listed.`, {
      extra: { file: name },
    });
  }
  const { tenant, workspace, dataset, createdAt } = record;
  const taken = { tenant, workspace, dataset, id, name, size, objectKey, createdAt };
  if ((await catalog.putFile(taken, most)) === 'full') throw quotaExceeded({ bytes: size, most });
}
