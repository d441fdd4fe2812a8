// The parts of a workbook that is a ZIP archive (XLSX, ODS): found by name, read as a stream, never written anywhere by their names. Sizes
// are known before anything is inflated, and proven while it is, as is the checksum.
import { stat } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import * as yauzl from 'yauzl';
import { Fault } from '../../../core/fault.ts';
import { allowance } from '../../formats/compression/expand.ts';
import { corrupt } from '../../formats/compression/corrupt.ts';
import { through } from '../../formats/compression/through.ts';
import { asUnreadable, openZip } from '../../formats/compression/zip-entry.ts';
import type { ReadLimits } from '../../reading/types.ts';
import { XmlProblem, type XmlHandler, xmlReader } from '../xml/reader.ts';
import { xmlDecoder } from '../xml/decode.ts';

const MOST_ENTRIES = 65_536;
const NAME_CHARACTERS = 255;
const INFLATED_AT_ONCE = 1 << 18;

export interface Package {
  readonly has: (name: string) => boolean;
  /** The bytes of a part. Throws INTERNAL for one that is not there. */
  readonly bytes: (name: string) => AsyncIterable<Buffer>;
  /** What all parts may expand to together. */
  readonly maxBytes: number;
  readonly close: () => void;
}

type Limits = Pick<ReadLimits, 'maxDecompressedBytes' | 'maxDecompressionRatio'>;

/** Names are compared as packages do: without regard to case, with slashes, from the root. */
const plainName = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

function requireName(name: string): void {
  if (yauzl.validateFileName(name.replaceAll('\\', '/').replace(/^\/+/, '')) === null) return;
  const shown = JSON.stringify(name.slice(0, NAME_CHARACTERS));
  throw new Fault('ARCHIVE_ENTRY_NAME', `The workbook has a part called ${shown}, which leads out of it.`);
}

async function entriesOf(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  if (zip.entryCount > MOST_ENTRIES) throw corrupt(`zip: it has ${zip.entryCount} entries; no workbook has.`);
  const entries = new Map<string, yauzl.Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
    requireName(name);
    if (name.endsWith('/')) continue;
    if (entries.has(plainName(name))) throw corrupt(`zip: ${JSON.stringify(name)} is in it twice.`);
    entries.set(plainName(name), entry);
  }
  return entries;
}

/** The compressed size of the whole file bounds what its parts may say that they expand to. */
function requireSize(entries: Iterable<yauzl.Entry>, size: number, limits: Limits): number {
  const { limit, detail, extra } = allowance(size, limits);
  let total = 0;
  for (const { uncompressedSize } of entries) total += uncompressedSize;
  if (total > limit) throw new Fault('DECOMPRESSION_LIMIT', detail, { extra });
  return limit;
}

function requireReadable(name: string, entry: yauzl.Entry): void {
  if (entry.isEncrypted()) throw new Fault('WORKBOOK_ENCRYPTED', `Its part ${JSON.stringify(name)} is encrypted.`);
  if (entry.compressionMethod === 0 || entry.compressionMethod === 8) return;
  throw new Fault(
    'ARCHIVE_METHOD',
    `Its part ${JSON.stringify(name)} is compressed by method ${entry.compressionMethod}.`,
  );
}

/** Inflated here rather than by yauzl, since larger pieces cost less. */
async function* plain(zip: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  if (entry.compressionMethod === 8) yield* through(raw, createInflateRaw({ chunkSize: INFLATED_AT_ONCE }));
  else yield* raw as AsyncIterable<Buffer>;
}

/** Passes the bytes on while they are not more than the entry says, and proves that they are those. */
async function* proven(bytes: AsyncIterable<Buffer>, name: string, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  let sum = 0;
  let size = 0;
  for await (const piece of bytes) {
    sum = crc32(piece, sum);
    size += piece.length;
    if (size > entry.uncompressedSize) break;
    yield piece;
  }
  if (size === entry.uncompressedSize && sum === entry.crc32) return;
  throw corrupt(`zip: the part ${JSON.stringify(name)} is not as long, or not the same, as it says; it is damaged.`);
}

async function* read(zip: yauzl.ZipFile, name: string, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  requireReadable(name, entry);
  try {
    yield* proven(plain(zip, entry), name, entry);
  } catch (thrown) {
    throw asUnreadable(thrown);
  }
}

/**
 * Opens the archive, to be closed by the caller. Faults: COMPRESSION_CORRUPT, DECOMPRESSION_LIMIT, ARCHIVE_ENTRY_NAME; reading a part adds
 * WORKBOOK_ENCRYPTED and ARCHIVE_METHOD.
 */
export async function openPackage(path: string, limits: Limits): Promise<Package> {
  const zip = await openZip(path);
  try {
    const entries = await entriesOf(zip);
    const maxBytes = requireSize(entries.values(), (await stat(path)).size, limits);
    return {
      maxBytes,
      has: (name) => entries.has(plainName(name)),
      bytes: (name) => {
        const entry = entries.get(plainName(name));
        if (entry === undefined) throw damaged(`the part ${JSON.stringify(name)} is missing`);
        return read(zip, name, entry);
      },
      close: () => zip.close(),
    };
  } catch (thrown) {
    zip.close();
    throw asUnreadable(thrown);
  }
}

/** What is wrong inside a workbook that is a whole archive. */
export const damaged = (what: string): Fault =>
  new Fault('PARSE_ERROR', `The workbook is damaged: ${what}. Open it in a spreadsheet program and save it again.`);

/** Reads a part that is XML. `signal` ends it early. Faults: PARSE_ERROR with the part, LIMIT_EXCEEDED. */
export async function readXml(
  { bytes }: Pick<Package, 'bytes'>,
  name: string,
  handler: XmlHandler,
  { maxTokenCharacters, signal }: { readonly maxTokenCharacters: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const decode = xmlDecoder();
  const reader = xmlReader(handler, maxTokenCharacters);
  try {
    for await (const piece of bytes(name)) {
      signal?.throwIfAborted();
      reader.write(decode(piece, false));
    }
    reader.write(decode(Buffer.alloc(0), true));
    reader.end();
  } catch (thrown) {
    throw thrown instanceof XmlProblem ? damaged(`in ${JSON.stringify(name)}, ${thrown.message}`) : thrown;
  }
}
