// Bytes of one file read, and written to another behind each other, many at a time.
import type { FileHandle } from 'node:fs/promises';

/** Bytes that are read at once. */
const READ_BYTES = 2 ** 20;

export async function* storedIn(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const bytes = Buffer.allocUnsafe(Math.min(READ_BYTES, end - at));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
    if (bytesRead === 0) throw new TypeError('the file is cut short');
    yield bytes.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Bytes that are put together before they are written. */
const AT_ONCE = 2 ** 20;

export interface Output {
  /** Where the next bytes stand. */
  readonly at: () => number;
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Writes what stands between two places of another file. */
  readonly copy: (from: FileHandle, start: number, end: number) => Promise<void>;
  /** What was written from there on gives way to what comes next. */
  readonly back: (to: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

export function outputTo(file: FileHandle): Output {
  let waiting: Buffer[] = [];
  let [written, at] = [0, 0];
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, from, bytes.length - from, written);
      from += bytesWritten;
      written += bytesWritten;
    }
  };
  const write = async (bytes: Buffer): Promise<void> => {
    waiting.push(bytes);
    at += bytes.length;
    if (at - written >= AT_ONCE) await flush();
  };
  return {
    at: () => at,
    write,
    copy: async (from, start, end) => {
      for await (const bytes of storedIn(from, start, end)) await write(bytes);
    },
    back: async (to) => {
      await flush();
      [written, at] = [to, to];
    },
    end: async () => {
      await flush();
      await file.truncate(at);
    },
  };
}
