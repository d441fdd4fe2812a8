// A compressed file, received: where its text is large it is written out in pieces as it comes from the store, and read in chunks of those. Of a
// zip archive only its list is looked at before.
import { join } from 'node:path';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Bytes } from '../formats/bytes.ts';
import { expandedHead, expandedStream, expandedZip } from '../formats/compression/expand.ts';
import { compressionOfContent, compressionOfName } from '../formats/compression/kinds.ts';
import { zipElsewhere } from '../formats/compression/zip-source.ts';
import { detectFile, detectZip } from '../formats/detect.ts';
import { headOf } from '../formats/head.ts';
import { requireFitting } from '../options.ts';
import { archiveIn, skippedWarning } from '../reading/archive.ts';
import type { Compression, DetectedFormat } from '../reading/types.ts';
import { attemptKey, freshFolder, tableIdOf } from '../stages/place.ts';
import { hashedBytes, type HashedBytes } from './hashed-bytes.ts';
import { encodingOfHead, holdsOf, requireWhole, textFormatOf } from './large.ts';
import { bytesOf, fetchStretch, storedPlain } from './plain.ts';
import { planInRuns, type RawText } from './receive-text.ts';
import type { Found, Looked, Receiving } from './receiving.ts';
import { unpackText } from './unpack.ts';

/** What a file is opened as: text in pieces, which is to be planned, or something that was read as a whole. */
type Opened =
  | { readonly kind: 'pieces'; readonly text: RawText; readonly found: Found }
  | { readonly kind: 'whole'; readonly found: Found };

/** Faults: FILE_TOO_LARGE, those of `expand`, `detectFile` and `planInRuns`, and what reading it as a whole throws. */
export async function receivePacked(ctx: StageContext, receiving: Receiving): Promise<Looked> {
  const opened = await ctx.step('unpacked text', () => open(ctx, receiving));
  const { found } = opened;
  if (opened.kind === 'whole') return { kind: 'found', of: found };
  const came = await planInRuns(ctx, receiving, opened.text);
  if (came.kind === 'continue') return came;
  const { plans, tables, warnings } = came.value;
  return { kind: 'found', of: { ...found, tables, plans, warnings: [...found.warnings, ...warnings] } };
}

/** What a compressed file shows before it is unpacked. */
interface Shown {
  readonly detected: DetectedFormat;
  /** The beginning of its text. */
  readonly head: Buffer;
  /** All of its text; the bytes of the file are hashed as they are read for it. */
  readonly text: (hashed: HashedBytes) => AsyncIterable<Buffer>;
  readonly warnings: Found['warnings'];
}

async function open(ctx: StageContext, receiving: Receiving): Promise<Opened> {
  const { objects, file, name, as, limits, options, take, hold, dataset } = receiving;
  const shown = await show(ctx, receiving);
  const format = shown && textFormatOf(shown.detected.format);
  const holds = format && holdsOf(format, shown.head, options);
  if (shown === undefined || format === undefined || holds === undefined) return asWhole(receiving);
  requireFitting(format, options);
  const { detected, head, warnings } = shown;
  const named = as ?? detected.tableName;
  const hashed = hashedBytes(bytesOfFile(receiving), file.size, (done) => ctx.progress(done, file.size, 'receive'));
  const folder = holds === 'keys' ? await hold(named) : tableIdOf(ctx.ref, dataset, named);
  const plain = await unpackText(shown.text(hashed), {
    ...{ objects, pieceBytes: limits.chunkBytes, signal: ctx.signal },
    workDir: await freshFolder(ctx, 'pieces'),
    keyOf: (piece: number) => attemptKey(ctx, dataset, folder, `text-${piece}`),
  });
  if (plain === undefined) return asWhole(receiving);
  const table = holds === 'keys' ? undefined : await take({ name: named });
  const source = { name, format, compression: detected.compression, bytes: file.size, sha256: await hashed.end() };
  const text = { plain, format, holds, encoding: encodingOfHead(head, options), named, table };
  return { kind: 'pieces', text, found: { source, tables: [], warnings } };
}

async function asWhole({ file, limits, whole }: Receiving): Promise<Opened> {
  requireWhole(file, limits);
  return { kind: 'whole', found: await whole() };
}

const bytesOfFile =
  ({ objects, file }: Receiving): Bytes =>
  (start = 0, end = file.size) =>
    bytesOf(objects, storedPlain(file), { start, end });

/** Undefined where the file is to be looked at as a whole: it is something else than its name says, or an archive of several files. */
function show(ctx: StageContext, receiving: Receiving): Promise<Shown | undefined> {
  const { compression } = compressionOfName(receiving.name);
  return compression === 'zip' ? showZip(receiving) : showStreamed(ctx, receiving, compression);
}

/** Enough that there is a block of bzip2 in it, and the beginning of a text. */
const HEAD_BYTES = 4 << 20;

async function showStreamed(
  ctx: StageContext,
  { objects, file, limits, name, options }: Receiving,
  compression: Exclude<Compression, 'zip'>,
): Promise<Shown | undefined> {
  const { size } = file;
  const path = join(await ctx.folder(), 'head');
  const end = Math.min(HEAD_BYTES, size);
  await fetchStretch({ objects, plain: storedPlain(file), signal: ctx.signal }, { start: 0, end }, path);
  if (compression === 'none' || compressionOfContent(await headOf(path)) !== compression) return undefined;
  const detected = await detectFile({ path, name, encoding: options.encoding });
  const head = await expandedHead(path, compression);
  const text = ({ bytes }: HashedBytes) => expandedStream({ bytes: bytes(), size, compression }, limits);
  return { detected, head, text, warnings: [] };
}

async function showZip(receiving: Receiving): Promise<Shown | undefined> {
  const { file, limits, name, options } = receiving;
  const bytes = bytesOfFile(receiving);
  const source = zipElsewhere(bytes, file.size);
  if (compressionOfContent(await source.read(0, MAGIC_BYTES)) !== 'zip') return undefined;
  const archive = await archiveIn(source);
  if (archive === undefined || archive.files.length > 1) return undefined;
  const detected = await detectZip({ source, name, encoding: options.encoding });
  const head = await expandedHead(source, 'zip');
  const text = (hashed: HashedBytes) => expandedZip({ ...source, stream: hashed.bytes }, limits);
  const { skipped } = archive;
  return { detected, head, text, warnings: skipped.length === 0 ? [] : [skippedWarning(skipped)] };
}

const MAGIC_BYTES = 16;
