// One version of a workspace's vectors: an immutable object that has each by the hash of its text, so that it fits any version of the
// index. A line of JSON, then the hashes, then the vectors, all of one length.
import * as z from 'zod';
import { lengthOf } from './vector.ts';

const headSchema = z.lazy(() =>
  z.object({ v: z.literal(1), model: z.string(), dimensions: z.int().positive(), count: z.int().min(0) }),
);

export interface ModelName {
  readonly model: string;
  readonly dimensions: number;
}

export interface VectorSet extends ModelName {
  /** Where a text's vector is, by its hash: the number of the vector. */
  readonly rows: ReadonlyMap<string, number>;
  /** `dimensions` bytes a row. */
  readonly values: Int8Array;
  /** Of each row. */
  readonly lengths: Float32Array;
}

/** Bytes of a hash, and its characters in base64url. */
export const HASH = { bytes: 16, characters: 22 } as const;

export function vectorBytes(
  { model, dimensions }: ModelName,
  vectors: ReadonlyMap<string, Int8Array>,
): Uint8Array<ArrayBuffer> {
  const count = vectors.size;
  const head = Buffer.from(`${JSON.stringify({ v: 1, model, dimensions, count })}\n`);
  const bytes = new Uint8Array(head.length + count * (HASH.bytes + dimensions));
  bytes.set(head);
  let [hashAt, vectorAt] = [head.length, head.length + count * HASH.bytes];
  for (const [hash, vector] of vectors) {
    bytes.set(Buffer.from(hash, 'base64url'), hashAt);
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, dimensions), vectorAt);
    hashAt += HASH.bytes;
    vectorAt += dimensions;
  }
  return bytes;
}

/** Reads an object of `vectorBytes`, in place. Throws an Error for another. */
export function readVectors(bytes: Uint8Array): VectorSet {
  const end = bytes.indexOf(10);
  const { model, dimensions, count } = headSchema.parse(JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()));
  const size = end + 1 + count * (HASH.bytes + dimensions);
  if (bytes.length !== size) throw new RangeError(`${size} bytes of vectors are ${bytes.length}.`);
  const hashes = Buffer.from(bytes.buffer, bytes.byteOffset + end + 1, count * HASH.bytes);
  const values = new Int8Array(bytes.buffer, bytes.byteOffset + end + 1 + hashes.length, count * dimensions);
  const rows = new Map<string, number>();
  const lengths = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    rows.set(hashes.toString('base64url', row * HASH.bytes, (row + 1) * HASH.bytes), row);
    lengths[row] = lengthOf(values, row * dimensions, dimensions);
  }
  return { model, dimensions, rows, values, lengths };
}

export const vectorAt = ({ values, dimensions }: VectorSet, row: number): Int8Array =>
  values.subarray(row * dimensions, (row + 1) * dimensions);

export const isOf = (set: ModelName, { model, dimensions }: ModelName): boolean =>
  set.model === model && set.dimensions === dimensions;
