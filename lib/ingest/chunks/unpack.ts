// Text that is compressed, written out as plain UTF-8 in pieces: what the passes then read. Only a piece of it is on disk at a time.
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Objects } from '../../core/objects.ts';
import { expandedBytes, expandedHead } from '../formats/compression/expand.ts';
import type { Compressed } from '../formats/compression/kinds.ts';
import { contentOf } from '../formats/content.ts';
import { decoderOf, type EncodingName } from '../formats/encoding/encodings.ts';
import { encodingOf } from '../formats/encoding/utf.ts';
import type { ReadLimits } from '../reading/types.ts';
import { putPart } from '../stages/place.ts';
import type { TextFormat } from './large.ts';
import type { Plain } from './plain.ts';

export interface Unpacked {
  readonly plain: Plain;
  readonly format: TextFormat;
}

export interface Unpacking {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  /** The compressed file, which is one table. */
  readonly path: string;
  readonly compression: Compressed;
  readonly format: TextFormat;
  /** What the caller says. */
  readonly encoding?: EncodingName | undefined;
  readonly workDir: string;
  readonly keyOf: (piece: number) => string;
  readonly signal: AbortSignal;
}

/** The text behind its byte order mark, as UTF-8. Throws a TypeError where the bytes do not fit the encoding. */
async function* asUtf8(bytes: AsyncIterable<Buffer>, name: EncodingName, bomBytes: number): AsyncGenerator<Buffer> {
  const decode = decoderOf(name);
  let left = bomBytes;
  for await (const piece of bytes) {
    const text = decode(piece.subarray(left));
    left = Math.max(0, left - piece.length);
    yield Buffer.from(text);
  }
  yield Buffer.from(decode());
}

/** Bytes until there are `most` of them, or none are left. */
async function* upTo(bytes: AsyncIterator<Buffer>, most: number): AsyncGenerator<Buffer> {
  for (let length = 0; length < most; ) {
    const next = await bytes.next();
    if (next.done === true) return;
    length += next.value.length;
    yield next.value;
  }
}

/** Undefined where all of it is no larger than a piece, and then nothing is stored. */
async function storePieces(text: AsyncIterable<Buffer>, unpacking: Unpacking): Promise<Plain['pieces'] | undefined> {
  const { objects, limits, workDir, keyOf, signal } = unpacking;
  const bytes = text[Symbol.asyncIterator]();
  const pieces: Plain['pieces'] = [];
  const path = join(workDir, 'piece');
  const nextPiece = async (): Promise<number> => {
    await pipeline(upTo(bytes, limits.chunkBytes), createWriteStream(path), { signal });
    return (await stat(path)).size;
  };
  try {
    let size = await nextPiece();
    if (size < limits.chunkBytes) return undefined;
    for (; size > 0; size = await nextPiece()) {
      const key = keyOf(pieces.length);
      await putPart(objects, key, path, size);
      pieces.push({ key, bytes: size });
    }
    return pieces;
  } finally {
    await bytes.return?.();
  }
}

/**
 * The text in pieces. Undefined where it is small, where its encoding has to be guessed, and where it is not in the encoding that it seems to
 * be in: then it is for whoever reads it as a whole. Faults: COMPRESSION_CORRUPT, DECOMPRESSION_LIMIT.
 */
export async function unpackText(unpacking: Unpacking): Promise<Unpacked | undefined> {
  const { path, compression, format, limits, encoding: said } = unpacking;
  const head = await expandedHead(path, compression);
  const { name, bomBytes, guessed } = encodingOf(head);
  const differs = said !== undefined && bomBytes > 0 && name !== said;
  if (differs || (said === undefined && guessed)) return undefined;
  if (format === 'json' && contentOf(head, said) !== 'JSON array') return undefined;
  const encoding = said ?? name;
  const bytes = expandedBytes({ path, compression }, limits);
  try {
    const pieces = await storePieces(encoding === 'utf-8' ? bytes : asUtf8(bytes, encoding, bomBytes), unpacking);
    if (pieces === undefined) return undefined;
    const size = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
    return { format, plain: { pieces, start: encoding === 'utf-8' ? bomBytes : 0, size } };
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
