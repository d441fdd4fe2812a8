// Text that is compressed, written out in pieces as it is: what the passes, or whoever makes it UTF-8, then read. Only a piece of it is on disk
// at a time.
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Objects } from '../../core/objects.ts';
import { putPart } from '../stages/place.ts';
import type { Plain } from './plain.ts';

export interface Unpacking {
  readonly objects: Objects;
  readonly pieceBytes: number;
  /** Text of fewer bytes is not stored. */
  readonly leastBytes: number;
  readonly workDir: string;
  readonly keyOf: (piece: number) => string;
  readonly signal: AbortSignal;
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

/** Undefined where it is too small to be stored. Faults: those of reading `text`. */
export async function unpackText(text: AsyncIterable<Buffer>, unpacking: Unpacking): Promise<Plain | undefined> {
  const { objects, pieceBytes, leastBytes, workDir, keyOf, signal } = unpacking;
  const bytes = text[Symbol.asyncIterator]();
  const pieces: Plain['pieces'] = [];
  const path = join(workDir, 'piece');
  const nextPiece = async (): Promise<number> => {
    await pipeline(upTo(bytes, pieceBytes), createWriteStream(path), { signal });
    return (await stat(path)).size;
  };
  try {
    let size = await nextPiece();
    if (size < leastBytes) return undefined;
    for (; size > 0; size = await nextPiece()) {
      const key = keyOf(pieces.length);
      await putPart(objects, key, path, size);
      pieces.push({ key, bytes: size });
    }
    return { pieces, start: 0, size: pieces.reduce((sum, piece) => sum + piece.bytes, 0) };
  } finally {
    await bytes.return?.();
  }
}
