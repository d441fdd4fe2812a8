// Reads gzip, one member or several in a row.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { corrupt } from './corrupt.ts';
import { through } from './through.ts';

/** What the gzip file holds. zlib ends in silence at bytes after the last member that are no member; they are refused here. */
export async function* decodeGzip(bytes: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  yield* through(Readable.from(bytes), gunzip);
  if (gunzip.bytesWritten < size) {
    throw corrupt(`gzip: the bytes from offset ${gunzip.bytesWritten} on are no gzip data.`);
  }
}
