// Reads gzip, one member or several in a row.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { corrupt } from './corrupt.ts';
import { through } from './through.ts';

/** What the gzip file holds. zlib ends in silence at bytes after the last member that are no member; they are refused here. */
export async function* decodeGzip(path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  yield* through(createReadStream(path), gunzip);
  const { size } = await stat(path);
  if (gunzip.bytesWritten < size) {
    throw corrupt(`gzip: the bytes from offset ${gunzip.bytesWritten} on are no gzip data.`);
  }
}
