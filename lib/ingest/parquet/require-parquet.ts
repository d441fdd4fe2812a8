// What a file has to be to be read as Parquet: whole, by the magic at both its ends, and not encrypted.
import { open } from 'node:fs/promises';
import { Fault } from '../../core/fault.ts';
import { footerOf, TAIL_BYTES } from './footer.ts';
import { chunkFields, fileFields, groupFields } from './fields.ts';
import { fieldsAt, itemsAt, type Span } from './thrift.ts';

const [MAGIC, ENCRYPTED] = ['PAR1', 'PARE'];
/** Of a file that holds nothing: the magic, the length of the footer, the magic. */
const LEAST_BYTES = 4 + TAIL_BYTES;

export const encrypted = (): Fault =>
  new Fault('PARSE_ERROR', 'The Parquet file is encrypted; write it without encryption.');

/** `ends`: the first four bytes and the last. Throws the Fault PARSE_ERROR. */
export function requireMagic(ends: Buffer, size: number): void {
  const [first, last] = [ends.toString('latin1', 0, 4), ends.toString('latin1', 4, 8)];
  if (size >= LEAST_BYTES && (first === ENCRYPTED || last === ENCRYPTED)) throw encrypted();
  if (size >= LEAST_BYTES && first === MAGIC && last === MAGIC) return;
  throw new Fault('PARSE_ERROR', `The Parquet file of ${size} bytes does not end as one: it is cut short.`, {
    extra: { byteOffset: size },
  });
}

/** Throws the Fault PARSE_ERROR. */
export async function requireMagicAtBothEnds(path: string): Promise<void> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const ends = Buffer.alloc(8);
  await file.read(ends, 0, 4, 0);
  await file.read(ends, 4, 4, Math.max(0, size - 4));
  requireMagic(ends, size);
}

const listAt = (bytes: Uint8Array, field: Span | undefined): Span[] =>
  field === undefined ? [] : itemsAt(bytes, field.start);

/** Whether a column of a file whose footer is plain is encrypted. */
export async function hasEncryptedColumns(path: string): Promise<boolean> {
  try {
    const { bytes } = await footerOf(path);
    const groups = listAt(bytes, fieldsAt(bytes, 0).get(fileFields.rowGroups));
    return groups.some((group) =>
      listAt(bytes, fieldsAt(bytes, group.start).get(groupFields.columns)).some(({ start }) => {
        const column = fieldsAt(bytes, start);
        return column.has(chunkFields.crypto) || column.has(chunkFields.encrypted);
      }),
    );
  } catch {
    // It is damaged in another way.
    return false;
  }
}
