// Which tables a zip archive holds: the files in it whose names say so; folders, what is hidden, and what macOS and Windows add aside.
import * as yauzl from 'yauzl';
import { asError } from '../../../core/check.ts';
import { Fault } from '../../../core/fault.ts';
import { splitName } from '../extensions.ts';
import { corrupt } from './corrupt.ts';
import { isOfStore, openSource, type ZipSource } from './zip-source.ts';

export interface ZipEntry {
  readonly entry: yauzl.Entry;
  /** Its place in the archive's list, from 0. */
  readonly index: number;
  /** Its path in the archive. */
  readonly name: string;
}

/** What is in an archive, looked at up to a limit. */
export interface ZipListing {
  readonly files: readonly ZipEntry[];
  /** Every file's path, those left aside included. */
  readonly names: readonly string[];
  /** Files whose names say that no table is in them, hidden ones, and what systems add. */
  readonly skipped: readonly string[];
  /** As the archive says; only some of them are looked at. */
  readonly entries: number;
}

const LISTED_ENTRIES = 1000;
const NAMED_ENTRIES = 10;
const NAME_CHARACTERS = 255;
/** Bit 11 of the flags says UTF-8; yauzl reads other names as CP437. */
const litter = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i;
const hidden = /(^|\/)\.(?!\.?([\\/]|$))/;
const otherArchive = /\.(tar|tgz|7z|rar|xz|lz4)$/i;

/** What macOS and Windows add to archives. */
export const isLitter = (name: string): boolean => litter.test(name);

/** Whether a file in an archive is an archive, or compressed, by its name. */
export const isPacked = (name: string): boolean => splitName(name).compression !== 'none' || otherArchive.test(name);

/** A table, or an archive that may hold one: none of them is left out. */
const mayBeTable = ({ name }: ZipEntry): boolean => splitName(name).format !== undefined || isPacked(name);

const nameOf = (entry: yauzl.Entry): string =>
  yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);

/** The archive, to be closed by the caller. Throws the Fault COMPRESSION_CORRUPT. */
export async function openZip(source: ZipSource): Promise<yauzl.ZipFile> {
  try {
    return await openSource(source);
  } catch (thrown) {
    throw asUnreadable(thrown);
  }
}

/** What yauzl or zlib say of the archive, as a Fault. */
export function asUnreadable(thrown: unknown): unknown {
  if (thrown instanceof Fault || isOfStore(thrown)) return thrown;
  const { message } = asError(thrown);
  if (/strong encryption/.test(message)) return new Fault('ARCHIVE_ENCRYPTED', 'Its list of files is encrypted.');
  return corrupt(`zip: ${message.split('. Are there')[0]?.replace(/\.$/, '') ?? ''}.`, thrown);
}

/** The files of the archive, of its first thousand entries. Where none of them is a table by its name, all are what the archive holds. */
export async function listZip(zip: yauzl.ZipFile): Promise<ZipListing> {
  const all: ZipEntry[] = [];
  let index = 0;
  for await (const entry of zip.eachEntry()) {
    const name = nameOf(entry);
    if (!name.endsWith('/')) all.push({ entry, index, name });
    if (++index === LISTED_ENTRIES) break;
  }
  const shown = all.filter(({ name }) => !litter.test(name) && !hidden.test(name));
  const tables = shown.filter(mayBeTable);
  const files = tables.length === 0 ? shown : tables;
  const skipped = all.filter((one) => !files.includes(one)).map(({ name }) => name);
  return { files, names: all.map(({ name }) => name), skipped, entries: zip.entryCount };
}

/** What is in the archive, for a sentence. */
function inside({ files, entries }: ZipListing): Fault {
  const named = files.slice(0, NAMED_ENTRIES).map(({ name }) => name.slice(0, NAME_CHARACTERS));
  const count = entries > LISTED_ENTRIES ? entries : files.length;
  const rest = count > named.length ? [`${count - named.length} more`] : [];
  const list = [...named.map((name) => JSON.stringify(name)), ...rest].join(', ');
  return new Fault('ARCHIVE_SEVERAL_FILES', `It holds ${count} files or folders: ${list}.`, {
    extra: { files: named, count },
  });
}

function requireName(name: string): void {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const odd = base.trim() === '' || name.length > NAME_CHARACTERS || /[\u0000-\u001f\u007f\ufffd]/.test(name);
  if (yauzl.validateFileName(name) === null && !odd) return;
  const shown = JSON.stringify(name.slice(0, NAME_CHARACTERS));
  throw new Fault('ARCHIVE_ENTRY_NAME', `The archive names its file ${shown}, which is not a plain path.`);
}

function requireReadable({ entry, name }: ZipEntry): void {
  const shown = JSON.stringify(name);
  if (entry.isEncrypted()) throw new Fault('ARCHIVE_ENCRYPTED', `${shown} is encrypted.`);
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    const method = methods[entry.compressionMethod] ?? `method ${entry.compressionMethod}`;
    throw new Fault('ARCHIVE_METHOD', `${shown} is compressed with ${method}; stored and deflated files are read.`);
  }
}

const methods: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'zstd',
  95: 'xz',
  98: 'PPMd',
};

/** The local header repeats the name; an archive that says two things at once is not trusted. */
async function requireOneName(zip: yauzl.ZipFile, { entry, name }: ZipEntry): Promise<void> {
  const local = await zip.readLocalFileHeaderPromise(entry);
  if (local.fileName.equals(entry.fileNameRaw)) return;
  throw corrupt(
    `zip: the file is called ${JSON.stringify(name)} in the archive's list, and otherwise where it begins.`,
  );
}

async function checked(zip: yauzl.ZipFile, file: ZipEntry): Promise<ZipEntry> {
  requireName(file.name);
  requireReadable(file);
  await requireOneName(zip, file);
  return file;
}

/**
 * The file at `index` of the archive's list, or the one file that it holds. Faults: EMPTY_FILE, ARCHIVE_SEVERAL_FILES, ARCHIVE_ENTRY_NAME,
 * ARCHIVE_ENCRYPTED, ARCHIVE_METHOD, COMPRESSION_CORRUPT.
 */
export async function entryOf(zip: yauzl.ZipFile, index?: number): Promise<ZipEntry> {
  const listing = await listZip(zip);
  if (listing.entries > LISTED_ENTRIES) throw inside(listing);
  const files = index === undefined ? listing.files : listing.files.filter((file) => file.index === index);
  const [sole] = files;
  if (sole === undefined) throw new Fault('EMPTY_FILE', 'The archive holds no file.');
  if (files.length > 1) throw inside(listing);
  return checked(zip, sole);
}

/** All files of the archive that may be tables, and the names of the others. Faults: those of `entryOf` but for EMPTY_FILE. */
export async function entriesOf(zip: yauzl.ZipFile): Promise<Pick<ZipListing, 'files' | 'skipped'>> {
  const listing = await listZip(zip);
  if (listing.entries > LISTED_ENTRIES) throw inside(listing);
  if (listing.files.length > 1) for (const file of listing.files) await checked(zip, file);
  return listing;
}
