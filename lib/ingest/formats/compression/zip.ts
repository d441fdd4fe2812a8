// Reads a file of a zip archive. yauzl proves its size while it is read; its checksum is proven here.
import { crc32 } from 'node:zlib';
import { corrupt } from './corrupt.ts';
import { asUnreadable, entriesOf, entryOf, openZip } from './zip-entry.ts';
import type { ZipSource } from './zip-source.ts';

/** What the file at `index`, or the one file in the archive, holds. Faults: those of `entryOf`. */
export async function* decodeZip(source: ZipSource, index?: number): AsyncGenerator<Buffer> {
  const zip = await openZip(source);
  try {
    const { entry } = await entryOf(zip, index);
    let sum = 0;
    for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      sum = crc32(piece, sum);
      yield piece;
    }
    if (sum !== entry.crc32) throw corrupt('zip: the checksum of the file does not fit; the data is damaged.');
  } catch (thrown) {
    throw asUnreadable(thrown);
  } finally {
    zip.close();
  }
}

/** What `use` makes of the open archive; what it or the archive is wrong with is a Fault. */
async function withZip<T>(
  source: ZipSource,
  use: (zip: Awaited<ReturnType<typeof openZip>>) => Promise<T>,
): Promise<T> {
  const zip = await openZip(source);
  try {
    return await use(zip);
  } catch (thrown) {
    throw asUnreadable(thrown);
  } finally {
    zip.close();
  }
}

/** The path of the one file in the archive. Faults: those of `entryOf`. */
export const nameInZip = (source: ZipSource): Promise<string> =>
  withZip(source, async (zip) => (await entryOf(zip)).name);

export interface Archived {
  readonly name: string;
  /** Its place in the archive's list. */
  readonly index: number;
  /** Bytes, as the archive says; they are proven while it is read. */
  readonly size: number;
}

/** The files that may be tables, and the names of those left out. Faults: those of `entriesOf`. */
export const filesInZip = (source: ZipSource): Promise<{ files: Archived[]; skipped: readonly string[] }> =>
  withZip(source, async (zip) => {
    const { files, skipped } = await entriesOf(zip);
    const named = files.map(({ name, index, entry }) => ({ name, index, size: entry.uncompressedSize }));
    return { files: named, skipped };
  });
