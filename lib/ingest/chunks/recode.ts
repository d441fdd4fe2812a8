// Text in another encoding than UTF-8, written out as plain UTF-8 in pieces: what the passes then read. Each piece is a step of the job, and
// the file itself is never on the disk.
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Bytes } from '../formats/bytes.ts';
import type { DetectedEncoding } from '../formats/encoding/detect.ts';
import { boundaryIn, decoderOf } from '../formats/encoding/encodings.ts';
import { misfit } from '../formats/encoding/misfit.ts';
import { putPart } from '../stages/place.ts';
import type { Plain } from './plain.ts';
import { catchUp, type TextHash } from './text-hash.ts';

export interface Recoding {
  readonly objects: Objects;
  /** The text as it is, and how many bytes it has. */
  readonly bytes: Bytes;
  readonly size: number;
  readonly encoding: Pick<DetectedEncoding, 'name' | 'bomBytes'>;
  /** Bytes of the text that become a piece. */
  readonly pieceBytes: number;
  readonly step: StageContext['step'];
  readonly progress: StageContext['progress'];
  readonly workDir: string;
  readonly keyOf: (piece: number) => string;
  readonly signal: AbortSignal;
  /** Takes the bytes of the text as it is. */
  readonly hash: TextHash;
}

/** A piece, and what is known of the text up to its end; JSON. */
interface Recoded {
  readonly key: string;
  readonly bytes: number;
  /** Where its text ends in the file, behind a whole character. */
  readonly end: number;
  /** The hashes of the blocks of the text that end in it, where it is hashed in blocks. */
  readonly blocks?: readonly string[];
  /** Of the last one: the hash of the text. */
  readonly sha256?: string;
}

/** What is read on behind a piece until a character surely ends. */
const BEHIND_BYTES = 1 << 16;

async function* stretchesFrom({ bytes, size, pieceBytes }: Recoding, start: number): AsyncGenerator<Buffer> {
  for (let at = start, length = pieceBytes; at < size; at += length, length = BEHIND_BYTES)
    yield* bytes(at, Math.min(size, at + length));
}

/** What becomes one piece: from `start` to where a character surely ends, or the text. */
async function* ofPiece(recoding: Recoding, start: number): AsyncGenerator<Buffer> {
  const { encoding, pieceBytes } = recoding;
  let at = start;
  for await (const stretch of stretchesFrom(recoding, start)) {
    const enough = Math.max(1, start + pieceBytes - at);
    const cut = enough > stretch.length ? -1 : boundaryIn(encoding.name, stretch, enough, at);
    yield cut < 0 ? stretch : stretch.subarray(0, cut);
    if (cut >= 0) return;
    at += stretch.length;
  }
}

/** The text of the piece that begins where `state` is, as UTF-8. Throws the Fault ENCODING_INVALID with the place in the file. */
async function* decoded(recoding: Recoding, state: { end: number }): AsyncGenerator<string> {
  const { bytes, encoding, hash } = recoding;
  const { name, bomBytes } = encoding;
  const decode = decoderOf(name);
  const start = state.end;
  try {
    for await (const stretch of ofPiece(recoding, start)) {
      yield decode(stretch.subarray(Math.max(0, bomBytes - state.end)));
      hash.add(stretch, state.end);
      state.end += stretch.length;
    }
    yield decode();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw await misfit(bytes, { name, start: Math.max(start, bomBytes), before: state.end }, thrown);
  }
}

async function recodePiece(recoding: Recoding, place: number, start: number): Promise<Recoded> {
  const { objects, workDir, keyOf, size, hash, signal } = recoding;
  await catchUp(hash, recoding.bytes, start, signal);
  const state = { end: start };
  const path = join(workDir, 'piece');
  await pipeline(decoded(recoding, state), createWriteStream(path), { signal });
  const { end } = state;
  const { size: bytes } = await stat(path);
  const key = keyOf(place);
  await putPart(objects, key, path, bytes);
  const blocks = hash.blocksIn({ start, end });
  return { key, bytes, end, ...(blocks.length > 0 && { blocks }), ...(end >= size && { sha256: hash.end() }) };
}

/** The hash of a text of which an earlier release wrote out the last piece, which did not keep it so. */
async function hashAgain({ hash, bytes, size, signal }: Recoding): Promise<string> {
  await catchUp(hash, bytes, size, signal);
  return hash.end();
}

/** The whole text, and the hash of it as it was. Faults: ENCODING_INVALID. */
export async function recodeText(recoding: Recoding): Promise<{ readonly plain: Plain; readonly sha256: string }> {
  const { step, progress, size, hash, signal } = recoding;
  const pieces: Plain['pieces'] = [];
  let last: Recoded = { key: '', bytes: 0, end: 0 };
  for (let place = 0; last.end < size; place++) {
    signal.throwIfAborted();
    const { end } = last;
    last = await step(`recode ${place}`, () => recodePiece(recoding, place, end));
    hash.keep(last.blocks, last.end);
    pieces.push({ key: last.key, bytes: last.bytes });
    progress(last.end, size, 'recode');
  }
  const plainBytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  return { plain: { pieces, start: 0, size: plainBytes }, sha256: last.sha256 ?? (await hashAgain(recoding)) };
}
