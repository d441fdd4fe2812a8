// Files of other kinds that people rename: what each is called, and what to do about it.
import type { FileFormat } from '../reading/types.ts';
import type { SheetFormat } from './sheet-format.ts';

export interface Foreign {
  /** For a sentence: `the content is …`. */
  readonly is: string;
  /** What to do, without a full stop. */
  readonly then: string;
  /** Where it is read under its own name. */
  readonly format?: FileFormat;
}

const saveAsCsv = 'save it as XLSX, or each sheet as CSV (UTF-8), and upload that';
const takeOut = 'unpack it and upload the table that is in it';
const notATable = 'it holds no table that can be read; upload the data behind it as CSV, JSON or Parquet';
const writeAs = 'write the table as CSV, JSON or Parquet with the program that made it';

/** Kinds that are only told apart by a look at the whole file. */
export const office = {
  xlsx: { is: 'an Excel workbook (XLSX)', then: 'let its name end in .xlsx', format: 'xlsx' },
  xlsb: { is: 'a binary Excel workbook (XLSB)', then: 'save it as XLSX' },
  xls: { is: 'an Excel workbook of the old kind (XLS)', then: 'let its name end in .xls', format: 'xls' },
  ods: { is: 'an OpenDocument spreadsheet (ODS)', then: 'let its name end in .ods', format: 'ods' },
  numbers: { is: 'a Numbers spreadsheet', then: saveAsCsv },
  locked: { is: 'an Office file with a password', then: 'remove the password and save it again' },
  document: { is: 'a text document of an office program', then: notATable },
  slides: { is: 'a presentation of an office program', then: notATable },
  compound: { is: 'a file of an old Microsoft Office program', then: writeAs },
} as const satisfies Record<string, Foreign>;

const zipped: Foreign = { is: 'a ZIP archive or an office file', then: takeOut };

/** What a workbook of this kind looks like by its first bytes alone. */
export const containerOf = (format: SheetFormat): Foreign => (format === 'xls' ? office.compound : zipped);

/** By the first bytes, as Latin-1. What could begin a text as well asks for a byte that no text has. */
const signatures: readonly (readonly [RegExp, string, string])[] = [
  [/^(\xff\xfe\x00\x00|\x00\x00\xfe\xff)/, 'text in UTF-32', 'save it as UTF-8'],
  [/^PARE/, 'encrypted Parquet', 'write it without encryption'],
  [/^\x89PNG/, 'a PNG picture', notATable],
  [/^GIF8[79]a/, 'a GIF picture', notATable],
  [/^\xff\xd8\xff/, 'a JPEG picture', notATable],
  [/^RIFF[^]{4}WEBP/, 'a WebP picture', notATable],
  [/^(II\x2a\x00|MM\x00\x2a)/, 'a TIFF picture', notATable],
  [/^%PDF-/, 'a PDF document', notATable],
  [/^\{\\rtf/, 'a document in rich text (RTF)', notATable],
  [/^PK(\x03\x04|\x05\x06|\x07\x08)/, zipped.is, zipped.then],
  [/^\xd0\xcf\x11\xe0/, office.compound.is, office.compound.then],
  [/^\x1f\x8b/, 'gzip data', 'compress the table once only, and let its name end in .gz'],
  [/^BZh[1-9]1AY&SY/, 'bzip2 data', 'compress the table once only, and let its name end in .bz2'],
  [/^\x28\xb5\x2f\xfd/, 'zstd data', 'compress the table once only, and let its name end in .zst'],
  [/^\xfd7zXZ\x00/, 'xz data', 'decompress it, or compress it with gzip, bzip2, zstd or zip'],
  [/^\x04\x22\x4d\x18/, 'LZ4 data', 'decompress it, or compress it with gzip, bzip2, zstd or zip'],
  [/^7z\xbc\xaf\x27\x1c/, 'a 7z archive', takeOut],
  [/^Rar!\x1a\x07/, 'a RAR archive', takeOut],
  [/^[^]{257}ustar/, 'a tar archive', takeOut],
  [/^ORC[\x00-\x08\x0e-\x1f\x80-\xff]/, 'ORC', writeAs],
  [/^FEA1/, 'Feather of the first version', writeAs],
  [/^SQLite format 3\x00/, 'an SQLite database', writeAs],
  [/^\x00\x01\x00\x00Standard (Jet|ACE) DB/, 'an Access database', writeAs],
  [/^\x89HDF\r\n/, 'HDF5', writeAs],
  [/^\x93NUMPY/, 'a NumPy array', writeAs],
  [/^\$FL[23]@/, 'an SPSS file', writeAs],
  [/^<stata_dta>/, 'a Stata file', writeAs],
  [/^\x7fELF|^MZ[^\x20-\x7e]/, 'a program', 'upload the table itself'],
];

const LOOK_BYTES = 300;

/** What other kind of file begins like this, or undefined. */
export function foreignOf(head: Uint8Array): Foreign | undefined {
  const first = Buffer.from(head.subarray(0, LOOK_BYTES)).toString('latin1');
  const found = signatures.find(([magic]) => magic.test(first));
  return found && { is: found[1], then: found[2] };
}
