// An Avro object container file: a head with the schema, then blocks, each with its number of rows, its length and a marker behind it.
import { bytesAt, type LocalFile } from '../rows/local-file.ts';
import { MAX_HELD_BYTES, tooLarge } from '../rows/held.ts';
import { type Cursor, damaged, readBytes, readCount, readSize } from './cursor.ts';

export interface AvroHead {
  /** JSON. */
  readonly schema: string;
  readonly codec: string;
  readonly marker: Buffer;
  /** Where the first block stands. */
  readonly end: number;
}

export interface Block {
  readonly rows: number;
  /** Of its data in the file. */
  readonly offset: number;
  readonly length: number;
}

const MAGIC_BYTES = 4;
const MARKER_BYTES = 16;
const MAX_HEAD_BYTES = 16 * 2 ** 20;
/** Two numbers of at most ten bytes. */
const BLOCK_HEAD_BYTES = 20;

function upTo(file: LocalFile, offset: number, most: number): Buffer {
  return bytesAt(file, offset, Math.max(0, Math.min(most, file.size - offset))) ?? Buffer.alloc(0);
}

function readEntries(cursor: Cursor): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  for (let count = readCount(cursor); count > 0; count = readCount(cursor)) {
    for (let entry = 0; entry < count; entry++) {
      const key = readBytes(cursor, readSize(cursor)).toString('utf8');
      entries.set(key, readBytes(cursor, readSize(cursor)));
    }
  }
  return entries;
}

/** Throws the Fault PARSE_ERROR. */
export function headOf(file: LocalFile): AvroHead {
  const cursor: Cursor = { bytes: upTo(file, 0, MAX_HEAD_BYTES), at: MAGIC_BYTES };
  const entries = readEntries(cursor);
  const marker = readBytes(cursor, MARKER_BYTES);
  const schema = entries.get('avro.schema');
  if (schema === undefined) throw damaged('the file holds no schema.');
  const codec = entries.get('avro.codec')?.toString('latin1') ?? 'null';
  return { schema: schema.toString('utf8'), codec, marker, end: cursor.at };
}

/** Throws the Faults PARSE_ERROR and BLOCK_TOO_LARGE. */
export function* blocksOf(file: LocalFile, { marker, end }: AvroHead): Generator<Block> {
  for (let at = end; at < file.size; ) {
    const cursor: Cursor = { bytes: upTo(file, at, BLOCK_HEAD_BYTES), at: 0 };
    const [rows, length] = [readSize(cursor), readSize(cursor)];
    const offset = at + cursor.at;
    if (length > MAX_HELD_BYTES) throw tooLarge('A block', length);
    const found = bytesAt(file, offset + length, MARKER_BYTES);
    if (found === undefined)
      throw damaged(`the block at offset ${at} ends behind the end of the file: it is cut short.`);
    if (!found.equals(marker)) throw damaged(`the block at offset ${at} does not end as it should: it is damaged.`);
    yield { rows, offset, length };
    at = offset + length + MARKER_BYTES;
  }
}
