import { open } from 'node:fs/promises';

const HEAD_BYTES = 65_536;

/** The first 64 KiB of a file. */
export const headOf = (path: string): Promise<Buffer> => bytesAt(path, 0, HEAD_BYTES);

/** The bytes from `offset` on, fewer where the file ends before. */
export async function bytesAt(path: string, offset: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
