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
import { addToHash, endHash, type HashState, startHash } from './sha256.ts';

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
}

/** A piece, and what is known of the text up to its end; JSON. */
interface Recoded {
  readonly key: string;
  readonly bytes: number;
  /** Where its text ends in the file, behind a whole character. */
  readonly end: number;
  readonly hash: HashState;
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
async function* decoded(recoding: Recoding, state: { end: number; hash: HashState }): AsyncGenerator<string> {
  const { bytes, encoding } = recoding;
  const { name, bomBytes } = encoding;
  const decode = decoderOf(name);
  const start = state.end;
  try {
    for await (const stretch of ofPiece(recoding, start)) {
      yield decode(stretch.subarray(Math.max(0, bomBytes - state.end)));
      state.hash = addToHash(state.hash, stretch);
      state.end += stretch.length;
    }
    yield decode();
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw await misfit(bytes, { name, start: Math.max(start, bomBytes), before: state.end }, thrown);
  }
}

async function recodePiece(recoding: Recoding, place: number, before: Recoded | undefined): Promise<Recoded> {
  const { objects, workDir, keyOf, signal } = recoding;
  const state = { end: before?.end ?? 0, hash: before?.hash ?? startHash };
  const path = join(workDir, 'piece');
  await pipeline(decoded(recoding, state), createWriteStream(path), { signal });
  const { size: bytes } = await stat(path);
  const key = keyOf(place);
  await putPart(objects, key, path, bytes);
  return { key, bytes, ...state };
}

/** The whole text, and the hash of it as it was. Faults: ENCODING_INVALID. */
export async function recodeText(recoding: Recoding): Promise<{ readonly plain: Plain; readonly sha256: string }> {
  const { step, progress, size, signal } = recoding;
  const pieces: Plain['pieces'] = [];
  let last: Recoded = { key: '', bytes: 0, end: 0, hash: startHash };
  for (let place = 0; last.end < size; place++) {
    signal.throwIfAborted();
    const before = place === 0 ? undefined : last;
    last = await step(`recode ${place}`, () => recodePiece(recoding, place, before));
    pieces.push({ key: last.key, bytes: last.bytes });
    progress(last.end, size, 'recode');
  }
  const plainBytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  return { plain: { pieces, start: 0, size: plainBytes }, sha256: endHash(last.hash) };
}
