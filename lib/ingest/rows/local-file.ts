import { readSync } from 'node:fs';

/** A file on the local disk that is open for reading. */
export interface LocalFile {
  readonly fd: number;
  readonly size: number;
}

/** The bytes at a place, or undefined where the file ends before. Nothing is allocated that is not there. */
export function bytesAt({ fd, size }: LocalFile, offset: number, length: number): Buffer | undefined {
  if (offset < 0 || length < 0 || offset + length > size) return undefined;
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length; ) {
    const more = readSync(fd, bytes, read, length - read, offset + read);
    if (more === 0) return undefined;
    read += more;
  }
  return bytes;
}
