// A large text, received: planned in chunks of it as it lies in the store. Text in another encoding than UTF-8 is written out as UTF-8 first, also
// where only what stands behind its head shows that.
import { Fault, type FaultCode } from '../../core/fault.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Bytes } from '../formats/bytes.ts';
import { type DetectedEncoding, encodingWarnings, otherEncoding } from '../formats/encoding/detect.ts';
import { firstNotUtf8 } from '../formats/encoding/utf.ts';
import { attemptKey, freshFolder } from '../stages/place.ts';
import { type InRuns, inRuns } from './in-runs.ts';
import { largeText, requireWhole } from './large.ts';
import { bytesOf, type Plain, storedPlain } from './plain.ts';
import { type Planned, planTables, type Tables } from './plan-tables.ts';
import type { Looked, Receiving } from './receiving.ts';
import { recodeText } from './recode.ts';
import { hashFor } from './text-hash.ts';

/** Text that is not compressed, in whatever encoding; JSON. */
export interface RawText extends Tables {
  /** From its first byte on. */
  readonly plain: Plain;
  /** As the caller or the head says. */
  readonly encoding: DetectedEncoding;
}

/** Of a file that is not compressed. Faults: FILE_TOO_LARGE, those of `largeText` and `planInRuns`, and what reading it as a whole throws. */
export async function receiveText(ctx: StageContext, receiving: Receiving): Promise<Looked> {
  const { file, name, as, limits, take, whole } = receiving;
  const large = await largeText(ctx, receiving);
  if (large === undefined) {
    requireWhole(file, limits);
    return { kind: 'found', of: await whole() };
  }
  const { format, holds, encoding, tableName } = large;
  const named = as ?? tableName;
  // A file that takes longer to read does not overtake a later one, and draws once however often it is begun.
  const table = holds === 'keys' ? undefined : await ctx.step('sequence', () => take({ name: named }));
  const came = await planInRuns(ctx, receiving, { plain: storedPlain(file), format, holds, encoding, named, table });
  if (came.kind === 'continue') return came;
  const { sha256, ...planned } = came.value;
  const source = { name, format, compression: 'none', bytes: file.size, sha256 };
  return { kind: 'found', of: { source, ...planned } };
}

/** The hash is of the text as it was. Faults: those of `planTables`, `otherEncoding` and `recodeText`. */
export const planInRuns = (ctx: StageContext, receiving: Receiving, text: RawText): Promise<InRuns<Planned>> =>
  inRuns(ctx, (step) => planned(ctx, receiving, { ...text, step }));

type Planning = RawText & Pick<StageContext, 'step'>;

async function planned(ctx: StageContext, receiving: Receiving, planning: Planning): Promise<Planned> {
  const { plain, encoding, step } = planning;
  if (encoding.name !== 'utf-8') return recoded(ctx, receiving, planning);
  try {
    const start = encoding.bomBytes;
    return await planTables(ctx, { ...receiving, ...planning, plain: { ...plain, start } });
  } catch (thrown) {
    const isSaid = receiving.options.encoding !== undefined || encoding.bomBytes > 0;
    if (isSaid || !(thrown instanceof Fault) || !ofText.has(thrown.code)) throw thrown;
    const found = await step('encoding', () => encodingBehind(ctx, receiving, { plain, refusal: thrown }));
    return recoded(ctx, receiving, { ...planning, encoding: found });
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
  ({ objects }: Receiving, plain: Plain): Bytes =>
  (start = 0, end = plain.size) =>
    bytesOf(objects, plain, { start, end });

/** The encoding of a text that is refused as UTF-8; the refusal is thrown where it is UTF-8 as far as its place. */
async function encodingBehind(
  { signal }: StageContext,
  receiving: Receiving,
  { plain, refusal }: { readonly plain: Plain; readonly refusal: Fault },
): Promise<DetectedEncoding> {
  const bytes = bytesOfText(receiving, plain);
  const place = Number(refusal.extra['byteOffset'] ?? plain.size);
  const end = Math.min(plain.size, place + receiving.limits.maxRecordBytes);
  const notUtf8 = refusal.code === 'ENCODING_INVALID' ? place : await firstNotUtf8(bytes(0, end), signal);
  if (notUtf8 < 0) throw refusal;
  return otherEncoding(bytes, notUtf8, signal);
}

async function recoded(ctx: StageContext, receiving: Receiving, planning: Planning): Promise<Planned> {
  const { objects, limits, dataset } = receiving;
  const { plain: raw, encoding, table, named, step } = planning;
  const folder = table?.table ?? (await step('folder', () => receiving.hold(named)));
  const bytes = bytesOfText(receiving, raw);
  const { plain, sha256 } = await recodeText({
    ...{ objects, bytes, size: raw.size, encoding, step, signal: ctx.signal, hash: hashFor(raw.size, limits) },
    pieceBytes: Math.max(limits.chunkBytes, Math.ceil(raw.size / limits.maxChunks)),
    progress: (done, total, note) => ctx.progress(done, total, note),
    workDir: await freshFolder(ctx, 'pieces'),
    keyOf: (piece) => attemptKey(ctx, dataset, folder, `utf8-${piece}`),
  });
  // What was kept of the text as it is has the same names.
  const ofPieces: StageContext['step'] = (name, work) => step(`recoded ${name}`, work);
  const { warnings, ...planned } = await planTables(ctx, { ...receiving, ...planning, plain, step: ofPieces });
  return { ...planned, sha256, warnings: [...warnings, ...(await encodingWarnings(bytes, encoding))] };
}
