// Name and content must agree on the format: a wrong name is refused here, before anything is read as what it is not.
import { Fault } from '../../core/fault.ts';
import { type Compression, type DetectedFormat, type FileFormat } from '../reading/types.ts';
import { expandedHead } from './compression/expand.ts';
import { compressionOfContent, suffixOf } from './compression/kinds.ts';
import { nameInZip } from './compression/zip.ts';
import type { ZipElsewhere, ZipSource } from './compression/zip-source.ts';
import { type Content, contentOf } from './content.ts';
import type { EncodingName } from './encoding/encodings.ts';
import { containerOf, type Foreign, foreignOf, office } from './foreign.ts';
import { type Named, splitName, tableNameOf } from './extensions.ts';
import { headOf } from './head.ts';
import { isSheet } from './sheet-format.ts';
import { officeInCompound, officeInZip } from './office.ts';

const fitting: Readonly<Record<FileFormat, readonly Content[]>> = {
  csv: ['text', 'json scalar'],
  tsv: ['text', 'json scalar'],
  json: ['JSON array', 'JSON object', 'json scalar'],
  ndjson: ['JSON object', 'json scalar', 'text'],
  parquet: ['Parquet'],
  arrow: ['Arrow'],
  avro: ['Avro'],
  xlsx: [],
  xls: [],
  ods: [],
};

const unknown = ({ extension }: Named): Fault =>
  new Fault(
    'FORMAT_UNKNOWN',
    `The extension ${JSON.stringify(extension.slice(0, 32))} stands for no format that is read here.`,
  );

const notThat = (says: string, { is, then }: Foreign): Fault =>
  new Fault('FORMAT_MISMATCH', `The name says ${says}, but the content is ${is}; ${then}.`, {
    extra: { format: says, content: is },
  });

/** What a file of another kind is, with a look into containers that several kinds share. */
async function foreignFile(path: string, head: Uint8Array): Promise<Foreign | undefined> {
  const foreign = foreignOf(head);
  if (foreign?.is.includes('Microsoft')) return officeInCompound(path);
  return compressionOfContent(head) === 'zip' ? officeInZip(path) : foreign;
}

/** A workbook is a container itself, so that its name says nothing of a compression. Throws the Fault WORKBOOK_ENCRYPTED. */
async function isWorkbook(path: string, { format, compression }: Named, head: Uint8Array): Promise<boolean> {
  if (compression !== 'none' || format === undefined || !isSheet(format)) return false;
  const foreign = await foreignFile(path, head);
  if (foreign === office.locked) throw new Fault('WORKBOOK_ENCRYPTED', 'The whole file is encrypted.');
  return foreign?.format === format;
}

/** Both say the same, or the file is refused: a name that ends in .gz, and gzip in it. */
async function requireCompression(path: string, named: Named, head: Uint8Array): Promise<void> {
  const actual = compressionOfContent(head);
  const foreign = actual === 'none' || actual === 'zip' ? await foreignFile(path, head) : undefined;
  const { compression } = named;
  if (foreign !== undefined) throw notThat(compression === 'none' ? (named.format ?? '') : compression, foreign);
  if (compression === actual) return;
  const ends = (kind: Compression) => (kind === 'none' ? '' : suffixOf(kind));
  const what =
    compression === 'none'
      ? `The content is ${actual}, but the name does not end in ${ends(actual)}.`
      : `The name ends in ${ends(compression)}, but the content is not ${compression}.`;
  throw new Fault('FORMAT_MISMATCH', what, { extra: { format: compression, content: actual } });
}

/** What the name of the file in an archive adds to the archive's own: it says the format, unless the archive's does. */
async function inArchive(source: ZipSource, archive: Named): Promise<Named> {
  const entry = await nameInZip(source);
  const named = splitName(entry);
  if (named.compression !== 'none') throw nested(entry);
  if (archive.format === undefined) return named;
  if (named.format === undefined || named.format === archive.format) return archive;
  throw new Fault('FORMAT_MISMATCH', `The name says ${archive.format}, the file in the archive ${named.format}.`);
}

const nested = (entry: string): Fault =>
  new Fault('ARCHIVE_NESTED', `The file in the archive, ${JSON.stringify(entry)}, is an archive or compressed itself.`);

function requireContent(format: FileFormat, content: Content): void {
  if (content === 'nothing') throw new Fault('EMPTY_FILE', 'The compressed file holds 0 bytes.');
  if (fitting[format].includes(content)) return;
  // Of a workbook that is compressed once more, only its reader sees what is in the container.
  if (isSheet(format) && typeof content === 'object' && content.is === containerOf(format).is) return;
  if (typeof content === 'object') throw notThat(format, content);
  throw new Fault('FORMAT_MISMATCH', `The name says ${format}, the content looks like ${content}.`, {
    extra: { format, content },
  });
}

interface FileToDetect {
  readonly path: string;
  readonly name: string;
  readonly encoding?: EncodingName | undefined;
}

/**
 * What the file is, by its name and its first bytes, and the name of the file in a zip archive; `encoding` is what the caller says it is in.
 * Faults: EMPTY_FILE, FORMAT_UNKNOWN, FORMAT_MISMATCH, COMPRESSION_CORRUPT, and those of a zip archive: ARCHIVE_SEVERAL_FILES,
 * ARCHIVE_ENCRYPTED, ARCHIVE_NESTED, ARCHIVE_ENTRY_NAME, ARCHIVE_METHOD; of a workbook WORKBOOK_ENCRYPTED.
 */
export async function detectFile({ path, name, encoding }: FileToDetect): Promise<DetectedFormat> {
  const head = await headOf(path);
  if (head.length === 0) throw new Fault('EMPTY_FILE', 'The file has 0 bytes.');
  const outer = splitName(name);
  const { compression } = outer;
  if (outer.format === undefined && compression !== 'zip') throw unknown(outer);
  if (outer.format !== undefined && (await isWorkbook(path, outer, head)))
    return { format: outer.format, compression, tableName: tableNameOf(outer.stem) };
  await requireCompression(path, outer, head);
  return detectInside({ content: path, outer, head, encoding });
}

interface ZipToDetect extends Pick<FileToDetect, 'name' | 'encoding'> {
  readonly source: ZipElsewhere;
}

/** What a zip archive that is no office file is, by the one file in it. Faults: those of `detectFile` of a zip archive. */
export const detectZip = async ({ source, name, encoding }: ZipToDetect): Promise<DetectedFormat> =>
  detectInside({ content: source, outer: splitName(name), head: await source.read(0, MAGIC_BYTES), encoding });

const MAGIC_BYTES = 16;

interface Inside {
  readonly content: ZipSource;
  readonly outer: Named;
  readonly head: Uint8Array;
  readonly encoding?: EncodingName | undefined;
}

/** Of a file whose compression is as its name says. */
async function detectInside({ content, outer, head, encoding }: Inside): Promise<DetectedFormat> {
  const { compression } = outer;
  const named = compression === 'zip' ? await inArchive(content, outer) : outer;
  if (named.format === undefined) throw unknown(named);
  const inside = compression === 'none' ? head : await expandedHead(content, compression);
  if (compression === 'zip' && compressionOfContent(inside) !== 'none' && !isSheet(named.format))
    throw nested(named.stem);
  requireContent(named.format, contentOf(inside, encoding));
  return { format: named.format, compression, tableName: tableNameOf(named.stem) };
}
