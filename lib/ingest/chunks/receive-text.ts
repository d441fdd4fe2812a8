// A large file that is not compressed, received: it is read in chunks where it is text that is one table. Text in another encoding than UTF-8 is
// written out as UTF-8 first, also where only what stands behind its head shows that.
import { Fault, type FaultCode } from '../../core/fault.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Bytes } from '../formats/bytes.ts';
import { type DetectedEncoding, encodingWarnings, otherEncoding } from '../formats/encoding/detect.ts';
import { firstNotUtf8 } from '../formats/encoding/utf.ts';
import type { ReceivedTable } from '../stages/outputs.ts';
import { attemptKey, freshFolder } from '../stages/place.ts';
import { inRuns } from './in-runs.ts';
import { type LargeText, largeText, requireWhole } from './large.ts';
import { bytesOf } from './plain.ts';
import { receiveLarge } from './receive-large.ts';
import type { Found, Looked, Receiving } from './receiving.ts';
import { recodeText } from './recode.ts';

/** Faults: FILE_TOO_LARGE, those of `largeText`, `planText` and `recodeText`, and what reading it as a whole throws. */
export async function receiveText(ctx: StageContext, receiving: Receiving): Promise<Looked> {
  const { file, as, limits, take, whole } = receiving;
  const large = await largeText(ctx, receiving);
  if (large === undefined) {
    requireWhole(file, limits);
    return { kind: 'found', of: await whole() };
  }
  // A file that takes longer to read does not overtake a later one, and draws once however often it is begun.
  const table = await ctx.step('sequence', () => take({ name: as ?? large.tableName }));
  const came = await inRuns(ctx, (step) => planned(ctx, receiving, { large, table, step }));
  return came.kind === 'continue' ? came : { kind: 'found', of: came.value };
}

interface Planning {
  readonly large: LargeText;
  readonly table: ReceivedTable;
  readonly step: StageContext['step'];
}

async function planned(ctx: StageContext, receiving: Receiving, planning: Planning): Promise<Found> {
  const { large, step } = planning;
  const { encoding } = large;
  if (encoding.name !== 'utf-8') return recoded(ctx, receiving, planning, encoding);
  try {
    return await asItIs(ctx, receiving, planning);
  } catch (thrown) {
    const isSaid = receiving.options.encoding !== undefined || encoding.bomBytes > 0;
    if (isSaid || !(thrown instanceof Fault) || !ofText.has(thrown.code)) throw thrown;
    const found = await step('encoding', () => encodingBehind(ctx, receiving, thrown));
    return recoded(ctx, receiving, planning, found);
  }
}

const fileOf = ({ file, objects }: Receiving): Bytes => {
  const pieces = [{ key: file.objectKey, bytes: file.size }];
  return (start = 0, end = file.size) => bytesOf(objects, { pieces, start: 0, size: file.size }, { start, end });
};

async function asItIs(ctx: StageContext, receiving: Receiving, { large, table, step }: Planning): Promise<Found> {
  const { file } = receiving;
  const { format, encoding } = large;
  const pieces = [{ key: file.objectKey, bytes: file.size }];
  const plain = { pieces, start: encoding.bomBytes, size: file.size };
  const { plan, sha256 } = await receiveLarge(ctx, plain, { ...receiving, table, format, step });
  return foundOf(receiving, { format, table, plan, sha256, warnings: [] });
}

/** What a text is refused with that may be in another encoding: a byte of it may look like a quote, or like a backslash. */
const ofText = new Set<FaultCode>(['ENCODING_INVALID', 'PARSE_ERROR', 'LINE_TOO_LONG', 'TOO_MANY_COLUMNS']);

/** The encoding of a text that is refused as UTF-8; the refusal is thrown where it is UTF-8 as far as its place. */
async function encodingBehind(ctx: StageContext, receiving: Receiving, refusal: Fault): Promise<DetectedEncoding> {
  const bytes = fileOf(receiving);
  const place = Number(refusal.extra['byteOffset'] ?? receiving.file.size);
  const end = Math.min(receiving.file.size, place + receiving.limits.maxRecordBytes);
  const notUtf8 = refusal.code === 'ENCODING_INVALID' ? place : await firstNotUtf8(bytes(0, end), ctx.signal);
  if (notUtf8 < 0) throw refusal;
  return otherEncoding(bytes, notUtf8, ctx.signal);
}

async function recoded(
  ctx: StageContext,
  receiving: Receiving,
  { large: { format }, table, step }: Planning,
  encoding: DetectedEncoding,
): Promise<Found> {
  const { objects, limits, dataset, file } = receiving;
  const bytes = fileOf(receiving);
  const { plain, sha256 } = await recodeText({
    ...{ objects, bytes, size: file.size, encoding, step, signal: ctx.signal },
    pieceBytes: Math.max(limits.chunkBytes, Math.ceil(file.size / limits.maxChunks)),
    progress: (done, total, note) => ctx.progress(done, total, note),
    workDir: await freshFolder(ctx, 'pieces'),
    keyOf: (piece) => attemptKey(ctx, dataset, table.table, `text-${piece}`),
  });
  // What was kept of the text as it is has the same names.
  const ofPieces: StageContext['step'] = (name, work) => step(`recoded ${name}`, work);
  const { plan } = await receiveLarge(ctx, plain, { ...receiving, table, format, step: ofPieces });
  const warnings = await encodingWarnings(bytes, encoding);
  return foundOf(receiving, { format, table, plan, sha256, warnings });
}

interface Planned {
  readonly format: string;
  readonly table: ReceivedTable;
  readonly plan: string;
  readonly sha256: string;
  readonly warnings: Found['warnings'];
}

const foundOf = ({ name, file }: Receiving, { format, table, plan, sha256, warnings }: Planned): Found => ({
  source: { name, format, compression: 'none', bytes: file.size, sha256 },
  tables: [table],
  warnings,
  plan,
});
