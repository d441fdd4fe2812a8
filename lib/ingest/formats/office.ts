// Looks into the two containers of office files, to call them by their names: ZIP, and Microsoft's compound files.
import { asUnreadable, listZip, openZip } from './compression/zip-entry.ts';
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
async function openDocument(path: string): Promise<Foreign | undefined> {
  const head = await bytesAt(path, 0, MIMETYPE_BYTES);
  const type = /mimetypeapplication\/vnd\.oasis\.opendocument\.([a-z-]+)/.exec(head.toString('latin1'))?.[1] ?? '';
  return inOpenDocument.find(([kind]) => kind.test(type))?.[1];
}

/** The office file that a ZIP is, or undefined for any other archive. Throws the Fault COMPRESSION_CORRUPT. */
export async function officeInZip(path: string): Promise<Foreign | undefined> {
  const document = await openDocument(path);
  if (document !== undefined) return document;
  const zip = await openZip(path);
  try {
    const { names } = await listZip(zip);
    return inZip.find(([part]) => names.some((name) => part.test(name)))?.[1];
  } catch (thrown) {
    throw asUnreadable(thrown);
  } finally {
    zip.close();
  }
}

const inCompound: readonly (readonly [string, Foreign])[] = [
  ['EncryptedPackage', office.locked],
  ['Workbook', office.xls],
  ['Book', office.xls],
  ['WordDocument', office.document],
  ['PowerPoint Document', office.slides],
];

const HEADER_BYTES = 512;
const MOST_SECTOR_SHIFT = 12;

/** The office file that a compound file is, by the names in the first sector of its directory. */
export async function officeInCompound(path: string): Promise<Foreign> {
  const header = await bytesAt(path, 0, HEADER_BYTES);
  if (header.length < HEADER_BYTES) return office.compound;
  const sector = 2 ** Math.min(header.readUInt16LE(30), MOST_SECTOR_SHIFT);
  const directory = await bytesAt(path, sector * (header.readUInt32LE(48) + 1), 4 * sector);
  const names = directory.toString('utf16le').split('\0');
  return inCompound.find(([name]) => names.includes(name))?.[1] ?? office.compound;
}
