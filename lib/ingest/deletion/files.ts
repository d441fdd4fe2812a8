// The uploaded files that a table was read from. One that others were read from too stays for them.
import type { FileId } from '../../core/ids.ts';
import type { FileRecord } from '../catalog.ts';
import type { Deletable } from './ports.ts';
import { allOf } from './rows.ts';
import type { PurgeDeps, PurgeRun } from './run.ts';

const filesIn = ({ catalog }: Pick<PurgeDeps, 'catalog'>, thing: Deletable): Promise<FileRecord[]> =>
  allOf((page) => catalog.listFiles(thing, thing.dataset, page));

/** Those that go with a table, or with a dataset: there it is all. */
export async function filesOf(deps: Pick<PurgeDeps, 'catalog'>, thing: Deletable): Promise<FileId[]> {
  const { table } = thing;
  const files = await filesIn(deps, thing);
  const own = ({ tables = [] }: FileRecord): boolean => tables.length > 0 && tables.every((each) => each === table);
  return files.filter((file) => table === undefined || own(file)).map(({ id }) => id);
}

/** Takes the rows of its own files away, and the table out of those of others; answers which of `files` have no row now. */
export async function releaseFiles({ deps, thing, fence }: PurgeRun, files: readonly FileId[]): Promise<FileId[]> {
  const { catalog } = deps;
  const { table } = thing;
  const read = await filesIn(deps, thing);
  await fence();
  for (const file of read.filter(({ tables = [] }) => tables.some((each) => each === table))) {
    const others = (file.tables ?? []).filter((each) => each !== table);
    // Where it was read into another table since, it is that one's.
    if (others.length > 0) await catalog.setFileTables(file, others);
    else await catalog.removeFile(file);
  }
  const left = new Set((await filesIn(deps, thing)).map(({ id }) => id));
  return files.filter((id) => !left.has(id));
}
