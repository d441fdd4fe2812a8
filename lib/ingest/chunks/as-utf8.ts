// A text as UTF-8, in whatever encoding it is: one in another is written out as UTF-8 first, also where only what stands behind its head shows that.
import { Fault, type FaultCode } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import type { Warning } from '../../core/warning.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Bytes } from '../formats/bytes.ts';
import { type DetectedEncoding, encodingWarnings, otherEncoding } from '../formats/encoding/detect.ts';
import { firstNotUtf8 } from '../formats/encoding/utf.ts';
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import { freshFolder } from '../stages/place.ts';
import { bytesOf, type Plain } from './plain.ts';
import { recodeText } from './recode.ts';
import type { TextHash } from './text-hash.ts';

export interface AnyText {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly options: ReadOptions;
  /** From its first byte on. */
  readonly plain: Plain;
  /** As the caller or the head says. */
  readonly encoding: DetectedEncoding;
  readonly step: StageContext['step'];
  /** Takes the text as it is, where it is written out anew; whoever reads UTF-8 takes it itself. */
  readonly hash: TextHash;
  /** The keys of what is written out, where it is. */
  readonly keys: () => Promise<(piece: number) => string>;
}

/** What is made of UTF-8 that begins behind its mark; its steps are `step`. */
type ReadUtf8<T> = (plain: Plain, step: StageContext['step']) => Promise<T>;

interface AsUtf8<T> {
  readonly value: T;
  /** Of the text as it was, where it was no UTF-8. */
  readonly sha256?: string;
  readonly warnings: readonly Warning[];
}

/** Faults: those of `read`, `otherEncoding` and `recodeText`. */
export async function readAsUtf8<T>(ctx: StageContext, text: AnyText, read: ReadUtf8<T>): Promise<AsUtf8<T>> {
  const { plain, encoding, step, options } = text;
  if (encoding.name !== 'utf-8') return recoded(ctx, text, read);
  try {
    return { value: await read({ ...plain, start: encoding.bomBytes }, step), warnings: [] };
  } catch (thrown) {
    const isSaid = options.encoding !== undefined || encoding.bomBytes > 0;
    if (isSaid || !(thrown instanceof Fault) || !ofText.has(thrown.code)) throw thrown;
    const found = await step('encoding', () => encodingBehind(ctx, text, thrown));
    return recoded(ctx, { ...text, encoding: found }, read);
  }
}

/** What a text is refused with that may be in another encoding: a byte of it may look like a quote, or like a backslash. */
const ofText = new Set<FaultCode>([
  'ENCODING_INVALID',
  'PARSE_ERROR',
  'LINE_TOO_LONG',
  'CELL_TOO_LARGE',
  'TOO_MANY_COLUMNS',
]);

const bytesOfText =
  ({ objects, plain }: AnyText): Bytes =>
  (start = 0, end = plain.size) =>
    bytesOf(objects, plain, { start, end });

/** The encoding of a text that is refused as UTF-8; the refusal is thrown where it is UTF-8 as far as its place. */
async function encodingBehind({ signal }: StageContext, text: AnyText, refusal: Fault): Promise<DetectedEncoding> {
  const { plain, limits } = text;
  const bytes = bytesOfText(text);
  const place = Number(refusal.extra['byteOffset'] ?? plain.size);
  const end = Math.min(plain.size, place + limits.maxRecordBytes);
  const notUtf8 = refusal.code === 'ENCODING_INVALID' ? place : await firstNotUtf8(bytes(0, end), signal);
  if (notUtf8 < 0) throw refusal;
  return otherEncoding(bytes, notUtf8, signal);
}

async function recoded<T>(ctx: StageContext, text: AnyText, read: ReadUtf8<T>): Promise<AsUtf8<T>> {
  const { objects, limits, plain: raw, encoding, step, hash } = text;
  const bytes = bytesOfText(text);
  const { plain, sha256 } = await recodeText({
    ...{ objects, bytes, size: raw.size, encoding, step, signal: ctx.signal, hash },
    keyOf: await text.keys(),
    pieceBytes: Math.max(limits.chunkBytes, Math.ceil(raw.size / limits.maxChunks)),
    progress: (done, total, note) => ctx.progress(done, total, note),
    workDir: await freshFolder(ctx, 'pieces'),
  });
  // What was kept of the text as it is has the same names.
  const ofPieces: StageContext['step'] = (name, work) => step(`recoded ${name}`, work);
  const value = await read(plain, ofPieces);
  return { value, sha256, warnings: await encodingWarnings(bytes, encoding) };
}
