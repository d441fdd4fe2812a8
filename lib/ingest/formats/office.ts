// Looks into the two containers of office files, to call them by their names: ZIP, and Microsoft's compound files.
import { asUnreadable, listZip, openZip } from './compression/zip-entry.ts';
import type { ZipSource } from './compression/zip-source.ts';
import { type Foreign, office } from './foreign.ts';
import { bytesAt } from './head.ts';

const inZip: readonly (readonly [RegExp, Foreign])[] = [
  [/^\/?xl[\\/]workbook\.bin$/i, office.xlsb],
  [/^\/?xl[\\/]|(^|[\\/])workbook\.xml$/i, office.xlsx],
  [/^word\//, office.document],
  [/^ppt\//, office.slides],
  [/^content\.xml$/, office.ods],
  [/^Index\/Tables\/|^Index\/CalculationEngine/, office.numbers],
];

const inOpenDocument: readonly (readonly [RegExp, Foreign])[] = [
  [/spreadsheet/, office.ods],
  [/presentation/, office.slides],
  [/text/, office.document],
];

const MIMETYPE_BYTES = 200;

/** OpenDocument stores its type as plain text in the first entry. */
async function openDocument(source: ZipSource): Promise<Foreign | undefined> {
  const head = await (typeof source === 'string' ? bytesAt(source, 0, MIMETYPE_BYTES) : source.read(0, MIMETYPE_BYTES));
  const type = /mimetypeapplication\/vnd\.oasis\.opendocument\.([a-z-]+)/.exec(head.toString('latin1'))?.[1] ?? '';
  return inOpenDocument.find(([kind]) => kind.test(type))?.[1];
}

/** The office file that a ZIP is, or undefined for any other archive. Throws the Fault COMPRESSION_CORRUPT. */
export async function officeInZip(source: ZipSource): Promise<Foreign | undefined> {
  const document = await openDocument(source);
  if (document !== undefined) return document;
  const zip = await openZip(source);
  try {
    const { names } = await listZip(zip);
    return inZip.find(([part]) => names.some((name) => part.test(name)))?.[1];
  } catch (thrown) {
    throw asUnreadable(thrown);
  } finally {
    zip.close();
  }
}

/** Streams by name, without regard to case, as the format says. */
const inCompound: readonly (readonly [string, Foreign])[] = [
  ['encryptedpackage', office.locked],
  ['workbook', office.xls],
  ['book', office.xls],
  ['worddocument', office.document],
  ['powerpoint document', office.slides],
];

const HEADER_BYTES = 512;
const MOST_SECTOR_SHIFT = 12;
/** Sectors of a directory that are looked through. */
const MOST_SECTORS = 64;
/** The header tells where the first 109 sectors of the allocation table stand. */
const TABLE_AT = 76;
const IN_HEADER = 109;
const DIRECTORY_AT = 48;
const ENTRY_BYTES = 128;
const NAME_BYTES = 64;

/** The names in the directory of a compound file, whose sectors the allocation table chains. */
async function* namesInCompound(path: string, header: Buffer): AsyncGenerator<string> {
  const size = 2 ** Math.min(header.readUInt16LE(30), MOST_SECTOR_SHIFT);
  const sectorAt = (sector: number): number => size * (sector + 1);
  let sector = header.readUInt32LE(DIRECTORY_AT);
  for (let read = 0; read < MOST_SECTORS; read++) {
    const entries = await bytesAt(path, sectorAt(sector), size);
    for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES)
      yield entries.toString('utf16le', at, at + NAME_BYTES).split('\0', 1)[0] ?? '';
    const table = Math.floor((sector * 4) / size);
    if (entries.length < size || table >= IN_HEADER) return;
    const next = await bytesAt(path, sectorAt(header.readUInt32LE(TABLE_AT + 4 * table)) + ((sector * 4) % size), 4);
    if (next.length < 4) return;
    sector = next.readUInt32LE(0);
  }
}

/** The office file that a compound file is, by the names in its directory. */
export async function officeInCompound(path: string): Promise<Foreign> {
  const header = await bytesAt(path, 0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) return office.compound;
  const names = new Set<string>();
  for await (const name of namesInCompound(path, header)) names.add(name.toLowerCase());
  return inCompound.find(([name]) => names.has(name))?.[1] ?? office.compound;
}
