// Reads the one file of a zip archive. yauzl proves its size while it is read; its checksum is proven here.
import { crc32 } from 'node:zlib';
import { corrupt } from './corrupt.ts';
import { asUnreadable, openZip, soleEntry } from './zip-entry.ts';

/** What the file in the archive holds. Faults: those of `soleEntry`. */
export async function* decodeZip(path: string): AsyncGenerator<Buffer> {
  const zip = await openZip(path);
  try {
    const { entry } = await soleEntry(zip);
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

/** The path of the one file in the archive. Faults: those of `soleEntry`. */
export async function nameInZip(path: string): Promise<string> {
  const zip = await openZip(path);
  try {
    return (await soleEntry(zip)).name;
  } catch (thrown) {
    throw asUnreadable(thrown);
  } finally {
    zip.close();
  }
}
