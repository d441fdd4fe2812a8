// Where the footer of a Parquet file stands: behind the pages, with its length and the magic behind it.
import { open } from 'node:fs/promises';

export const MAGIC = Buffer.from('PAR1');
/** Of the length of the footer, and the magic. */
export const TAIL_BYTES = 8;

export interface Footer {
  readonly bytes: Buffer;
  /** Where it begins: the bytes before it. */
  readonly start: number;
}

/** Throws a TypeError where the file has no room for it. */
export async function footerOf(path: string): Promise<Footer> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const tail = Buffer.alloc(TAIL_BYTES);
    await handle.read(tail, 0, TAIL_BYTES, size - TAIL_BYTES);
    const length = tail.readUInt32LE(0);
    if (length > size - TAIL_BYTES - MAGIC.length) throw new TypeError('the footer is longer than the file');
    const bytes = Buffer.alloc(length);
    await handle.read(bytes, 0, length, size - TAIL_BYTES - length);
    return { bytes, start: size - TAIL_BYTES - length };
  } finally {
    await handle.close();
  }
}

/** What stands behind the pages: the footer, its length, the magic. */
export function tailOf(footer: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([footer, length, MAGIC]);
}

/** Gives a file another footer. */
export async function replaceFooter(path: string, { bytes, start }: Footer): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.truncate(start);
    const tail = tailOf(bytes);
    await handle.write(tail, 0, tail.length, start);
  } finally {
    await handle.close();
  }
}
