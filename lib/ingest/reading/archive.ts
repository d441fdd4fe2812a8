// A zip archive of several files: each is written out for as long as it is looked at, under a name of ours, and read as a file by itself.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import { allowance, expand } from '../formats/compression/expand.ts';
import { isLitter, isPacked } from '../formats/compression/zip-entry.ts';
import { compressionOfContent, compressionOfName } from '../formats/compression/kinds.ts';
import { type Archived, filesInZip } from '../formats/compression/zip.ts';
import type { ZipSource } from '../formats/compression/zip-source.ts';
import { splitName } from '../formats/extensions.ts';
import { headOf } from '../formats/head.ts';
import { officeInZip } from '../formats/office.ts';
import { warn } from '../warnings.ts';
import type { ArchiveEntry, ReadLimits, ReadRequest } from './types.ts';

export interface Archive {
  readonly files: readonly Archived[];
  /** Files that are left out. */
  readonly skipped: readonly string[];
}

const NAMED_FILES = 5;
const NAME_CHARACTERS = 100;

/** What a zip archive holds; undefined where the file is none, or an office file, or its name does not say so. */
export async function archiveOf({ path, name }: ReadRequest): Promise<Archive | undefined> {
  if (compressionOfName(name).compression !== 'zip') return undefined;
  return compressionOfContent(await headOf(path)) === 'zip' ? archiveIn(path) : undefined;
}

/** What a zip archive holds; undefined where it is an office file. */
export async function archiveIn(source: ZipSource): Promise<Archive | undefined> {
  if ((await officeInZip(source)) !== undefined) return undefined;
  const { files, skipped } = await filesInZip(source);
  // An archive of one file is that file, whatever the system that packed it has added.
  return { files, skipped: files.length > 1 ? skipped : skipped.filter((file) => !isLitter(file)) };
}

/** All files together stay within what one may expand to. Throws the Fault DECOMPRESSION_LIMIT. */
export function requireBounded(files: readonly Archived[], limits: ReadLimits, archiveBytes: number): void {
  const { limit, detail, extra } = allowance(archiveBytes, limits);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > limit) throw new Fault('DECOMPRESSION_LIMIT', detail, { extra });
}

export function skippedWarning(names: readonly string[]): Warning {
  const named = names.slice(0, NAMED_FILES).map((name) => JSON.stringify(name.slice(0, NAME_CHARACTERS)));
  const detail = `They are ${named.join(', ')}${names.length > NAMED_FILES ? ' and more' : ''}.`;
  return warn('ENTRIES_LEFT_OUT', { count: names.length, detail });
}

export const entryOf = ({ name, index }: ArchiveEntry): ArchiveEntry => ({ name, index });

/** The name of its table below that of the archive: the file's own; with its folders where two files have the same. */
export function ownNames(files: readonly Archived[]): (Archived & { readonly own: string })[] {
  const stems = files.map(({ name }) => splitName(name).stem);
  const isAlone = (stem: string): boolean =>
    stems.filter((other) => other.toLowerCase() === stem.toLowerCase()).length === 1;
  return files.map((file, index) => {
    const stem = stems[index] ?? '';
    const folders = file.name.slice(0, file.name.lastIndexOf('/') + 1);
    return { ...file, own: isAlone(stem) ? stem : `${folders}${stem}` };
  });
}

/** Calls `use` with the request for the file by itself. A Fault says of which file it is. */
export async function withEntry<T>(
  request: ReadRequest,
  { name, index }: ArchiveEntry,
  use: (plain: ReadRequest) => Promise<T>,
): Promise<T> {
  const { path, workDir, limits, signal } = request;
  const entryPath = join(workDir, 'entry');
  try {
    if (isPacked(name)) throw new Fault('ARCHIVE_NESTED', 'It is an archive or compressed itself.');
    await rename(await expand({ path, compression: 'zip', entry: index }, { workDir, limits, signal }), entryPath);
    return await use({ ...request, path: entryPath, name: name.slice(name.lastIndexOf('/') + 1), entry: undefined });
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const { code, detail, extra } = thrown;
    throw new Fault(code, `In ${JSON.stringify(name)}: ${detail}`, { cause: thrown, extra: { ...extra, entry: name } });
  } finally {
    await rm(entryPath, { force: true });
  }
}
