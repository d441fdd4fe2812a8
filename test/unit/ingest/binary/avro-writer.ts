// Writes Avro, as plainly as its specification says it.
import { deflateRawSync, zstdCompressSync } from 'node:zlib';

/** Zigzag, seven bits a byte. */
export function long(value: bigint | number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

export const bytes = (value: Uint8Array): Buffer => Buffer.concat([long(value.length), value]);
export const text = (value: string): Buffer => bytes(Buffer.from(value));

const double = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleLE(value);
  return buffer;
};

/** A type of the schema with how its values are written. */
export interface Written {
  readonly schema: unknown;
  readonly write: (value: never) => Buffer;
}

export const types = {
  long: { schema: 'long', write: long },
  double: { schema: 'double', write: double },
  string: { schema: 'string', write: text },
  boolean: { schema: 'boolean', write: (value: boolean) => Buffer.from([value ? 1 : 0]) },
  bytes: { schema: 'bytes', write: bytes },
} satisfies Record<string, Written>;

export const nullable = ({ schema, write }: Written): Written => ({
  schema: ['null', schema],
  write: (value: unknown) => (value === null ? long(0) : Buffer.concat([long(1), write(value as never)])),
});

/** An array in blocks of two items, with the length of the block where `sized`. */
export const arrayOf = ({ schema, write }: Written, sized = false): Written => ({
  schema: { type: 'array', items: schema },
  write: (values: readonly never[]) => {
    const parts: Buffer[] = [];
    for (let at = 0; at < values.length; at += 2) {
      const items = Buffer.concat(values.slice(at, at + 2).map(write));
      const count = Math.min(2, values.length - at);
      parts.push(...(sized ? [long(-count), long(items.length)] : [long(count)]), items);
    }
    return Buffer.concat([...parts, long(0)]);
  },
});

const codecs = { null: (data: Buffer) => data, deflate: deflateRawSync, zstandard: zstdCompressSync };
export type CodecName = keyof typeof codecs;

interface AvroFile {
  readonly schema: unknown;
  /** Rows of each block, with their bytes. */
  readonly blocks: readonly { readonly rows: number; readonly data: Buffer }[];
  readonly codec?: CodecName;
  /** What the head says instead of the codec. */
  readonly saysCodec?: string;
}

const marker = Buffer.alloc(16, 7);

/** An object container file. */
export function avro({ schema, blocks, codec = 'null', saysCodec = codec }: AvroFile): Buffer {
  const head = [
    long(2),
    text('avro.schema'),
    text(JSON.stringify(schema)),
    text('avro.codec'),
    text(saysCodec),
    long(0),
  ];
  const written = blocks.flatMap(({ rows, data }) => [long(rows), bytes(codecs[codec](data)), marker]);
  return Buffer.concat([Buffer.from('Obj\x01'), ...head, marker, ...written]);
}

export const record = (fields: Readonly<Record<string, unknown>>): unknown => ({
  type: 'record',
  name: 'Row',
  fields: Object.entries(fields).map(([name, type]) => ({ name, type })),
});
