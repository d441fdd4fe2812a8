// Text on its way to a file, or to several after each other; a line of any length takes no more memory than any other.
import { closeSync, openSync } from 'node:fs';
import { intoFile } from './sink.ts';

export interface PieceWriter {
  readonly copy: (bytes: Buffer, start: number, end: number) => void;
  readonly endRow: () => void;
  /** What follows stands in a file of its own. */
  readonly next: () => void;
  /** Of the files with rows, or of an empty one, once all is written out. */
  readonly paths: () => string[];
  readonly close: () => void;
}

const BUFFER_BYTES = 64 * 1024;
const LF = 10;
/** DuckDB drops one at the start of a file; without it, it would drop one that the first value begins with. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** `path` is that of the first file. Throws the Fault DECOMPRESSION_LIMIT where all take more than `maxBytes`. */
export function pieceWriter(path: string, maxBytes: number): PieceWriter {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const paths: string[] = [];
  let [used, fd, left] = [0, -1, maxBytes];
  const open = (): void => {
    const next = paths.length === 0 ? path : `${path}-${paths.length}`;
    paths.push(next);
    fd = openSync(next, 'w');
  };
  const write = (bytes: Buffer): void => {
    if (fd < 0) open();
    intoFile(fd, left)(bytes);
    left -= bytes.length;
  };
  const drain = (): void => {
    if (used > 0) write(buffer.subarray(0, used));
    used = 0;
  };
  const mark = (): void => void (used = BYTE_ORDER_MARK.copy(buffer));
  const close = (): void => {
    if (fd >= 0) closeSync(fd);
    fd = -1;
  };
  mark();
  return {
    copy: (bytes, start, end) => {
      if (used + end - start > BUFFER_BYTES) drain();
      if (end - start > BUFFER_BYTES) write(bytes.subarray(start, end));
      else used += bytes.copy(buffer, used, start, end);
    },
    endRow: () => {
      if (used === BUFFER_BYTES) drain();
      buffer[used++] = LF;
    },
    next: () => {
      drain();
      close();
      mark();
    },
    paths: () => {
      if (used > BYTE_ORDER_MARK.length || fd >= 0 || paths.length === 0) drain();
      return paths;
    },
    close,
  };
}
