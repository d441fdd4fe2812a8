// The footer of a Parquet file that lies in the object store, and other stretches of it that are small.
import { Fault } from '../../../core/fault.ts';
import type { Objects } from '../../../core/objects.ts';
import { bytesOf, type Stretch, storedPlain } from '../../chunks/plain.ts';
import { type Footer, MAGIC, TAIL_BYTES } from '../footer.ts';
import { requireMagic } from '../require-parquet.ts';
import { damaged } from './damaged.ts';

/** Of a footer, which is in memory as a whole while a file is planned. */
export const FOOTER_BYTES = 128 * 2 ** 20;

export interface Stored {
  readonly objects: Objects;
  readonly file: { readonly objectKey: string; readonly size: number };
}

/** Throws the Fault INPUT_UNREADABLE where the object is gone, or ends before. */
export async function storedBytes({ objects, file }: Stored, { start, end }: Stretch): Promise<Buffer> {
  if (start >= end) return Buffer.alloc(0);
  const pieces: Buffer[] = [];
  for await (const piece of bytesOf(objects, storedPlain(file), { start, end })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (bytes.length < end - start) throw new Fault('INPUT_UNREADABLE', `The object ${file.objectKey} is cut short.`);
  return bytes;
}

/** The first four bytes. */
export const storedMagic = (stored: Stored): Promise<Buffer> =>
  storedBytes(stored, { start: 0, end: Math.min(MAGIC.length, stored.file.size) });

/** Faults: PARSE_ERROR, FILE_TOO_LARGE, INPUT_UNREADABLE. */
export async function storedFooter(stored: Stored): Promise<Footer> {
  const { size } = stored.file;
  const tail = await storedBytes(stored, { start: Math.max(0, size - TAIL_BYTES), end: size });
  requireMagic(Buffer.concat([await storedMagic(stored), tail.subarray(-MAGIC.length)]), size);
  const length = tail.readUInt32LE(0);
  const start = size - TAIL_BYTES - length;
  if (start < MAGIC.length) throw damaged('the footer is longer than the file');
  if (length > FOOTER_BYTES)
    throw new Fault('FILE_TOO_LARGE', `The footer has ${length} bytes; the limit is ${FOOTER_BYTES}.`, {
      extra: { size: length, limit: FOOTER_BYTES },
    });
  return { bytes: await storedBytes(stored, { start, end: start + length }), start };
}
