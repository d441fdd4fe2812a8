// A file says which tables were read from it, so that it goes with the last of them.
import { Fault } from '../../core/fault.ts';
import type { TableId } from '../../core/ids.ts';
import type { Catalog, FileRecord } from '../catalog.ts';

const TRIES = 10;

/** Throws the Fault NOT_FOUND where the file is gone, CONFLICT where others read it into tables all the time. */
export async function noteTables(
  catalog: Pick<Catalog, 'getFile' | 'setFileTables'>,
  file: FileRecord,
  tables: readonly TableId[],
): Promise<void> {
  let now: FileRecord | undefined = file;
  for (let tries = 0; tries < TRIES; tries++) {
    const known: readonly TableId[] = now.tables ?? [];
    const all = new Set([...known, ...tables]);
    if (all.size === known.length || (await catalog.setFileTables(now, [...all])) === 'changed') return;
    now = await catalog.getFile(file, file.dataset, file.id);
    if (now === undefined) throw new Fault('NOT_FOUND', `There is no file ${file.id} in this dataset.`);
  }
  throw new Fault('CONFLICT', 'The file is read into other tables all the time.');
}
