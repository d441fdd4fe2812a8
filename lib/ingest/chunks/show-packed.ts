// What a compressed file in the store shows before it is unpacked: which text it is, by its first bytes; of a zip archive, by its list as well.
import { join } from 'node:path';
import type { Objects } from '../../core/objects.ts';
import type { Warning } from '../../core/warning.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { FileRecord } from '../catalog.ts';
import type { Bytes } from '../formats/bytes.ts';
import { expandedHead, expandedStream, expandedZip } from '../formats/compression/expand.ts';
import { compressionOfContent, compressionOfName } from '../formats/compression/kinds.ts';
import { withStream, zipElsewhere } from '../formats/compression/zip-source.ts';
import { detectFile, detectZip } from '../formats/detect.ts';
import type { DetectedEncoding } from '../formats/encoding/detect.ts';
import { headOf } from '../formats/head.ts';
import { type ReadOptions, requireFitting } from '../options.ts';
import { archiveIn, skippedWarning } from '../reading/archive.ts';
import type { Compression, DetectedFormat, ReadLimits } from '../reading/types.ts';
import { encodingOfHead, type Holds, holdsOf, type TextFormat, textFormatOf } from './large.ts';
import { bytesOf, fetchStretch, storedPlain } from './plain.ts';

/** What a compressed file shows before it is unpacked. */
interface Seen {
  readonly detected: DetectedFormat;
  /** The beginning of its text. */
  readonly head: Buffer;
  /** All of its text, from these bytes of the file. */
  readonly text: (bytes: Bytes) => AsyncIterable<Buffer>;
  readonly warnings: Warning[];
}

/** A text that holds tables. */
export interface Shown extends Seen {
  readonly holds: Holds;
  readonly format: TextFormat;
  /** As the caller or the head says. */
  readonly encoding: DetectedEncoding;
}

export interface Packed {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly file: Pick<FileRecord, 'objectKey' | 'size'>;
  /** As it was uploaded. */
  readonly name: string;
  readonly options: ReadOptions;
}

type Folder = Pick<StageContext, 'folder' | 'signal'>;

/** The bytes of a file as it is stored. */
export const storedBytes =
  ({ objects, file }: Pick<Packed, 'objects' | 'file'>): Bytes =>
  (start = 0, end = file.size) =>
    bytesOf(objects, storedPlain(file), { start, end });

/**
 * Undefined where it takes all of the file to be looked at: it is something else than its name says, an archive of several files, or no text with
 * tables. Faults: OPTION_MISFIT, those of `detectFile`.
 */
export async function showPacked(ctx: Folder, packed: Packed): Promise<Shown | undefined> {
  const { name, options } = packed;
  const { compression } = compressionOfName(name);
  const seen = compression === 'zip' ? await seeZip(packed) : await seeStreamed(ctx, packed, compression);
  const format = seen && textFormatOf(seen.detected.format);
  const holds = format && holdsOf(format, seen.head, options);
  if (seen === undefined || format === undefined || holds === undefined) return undefined;
  requireFitting(format, options);
  return { ...seen, format, holds, encoding: encodingOfHead(seen.head, options) };
}

/** Enough that there is a block of bzip2 in it, and the beginning of a text. */
const HEAD_BYTES = 4 << 20;

async function seeStreamed(
  ctx: Folder,
  { objects, file, limits, name, options }: Packed,
  compression: Exclude<Compression, 'zip'>,
): Promise<Seen | undefined> {
  const { size } = file;
  const path = join(await ctx.folder(), 'head');
  const end = Math.min(HEAD_BYTES, size);
  await fetchStretch({ objects, plain: storedPlain(file), signal: ctx.signal }, { start: 0, end }, path);
  if (compression === 'none' || compressionOfContent(await headOf(path)) !== compression) return undefined;
  const detected = await detectFile({ path, name, encoding: options.encoding });
  const head = await expandedHead(path, compression);
  const text = (bytes: Bytes) => expandedStream({ bytes: bytes(), size, compression }, limits);
  return { detected, head, text, warnings: [] };
}

async function seeZip(packed: Packed): Promise<Seen | undefined> {
  const { file, limits, name, options } = packed;
  const source = zipElsewhere(storedBytes(packed), file.size);
  if (compressionOfContent(await source.read(0, MAGIC_BYTES)) !== 'zip') return undefined;
  const archive = await archiveIn(source);
  if (archive === undefined || archive.files.length > 1) return undefined;
  const detected = await detectZip({ source, name, encoding: options.encoding });
  const head = await expandedHead(source, 'zip');
  const text = (stream: Bytes) => expandedZip(withStream(source, stream), limits);
  const { skipped } = archive;
  return { detected, head, text, warnings: skipped.length === 0 ? [] : [skippedWarning(skipped)] };
}

const MAGIC_BYTES = 16;
