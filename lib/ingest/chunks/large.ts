// Which files are read in chunks: text that is larger than a chunk. By the head alone; nothing of the rest is fetched.
import { join } from 'node:path';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { FileRecord } from '../catalog.ts';
import { compressionOfContent } from '../formats/compression/kinds.ts';
import { contentOf } from '../formats/content.ts';
import { detectFile } from '../formats/detect.ts';
import { type DetectedEncoding, encodingAsSaid } from '../formats/encoding/detect.ts';
import { encodingOf } from '../formats/encoding/utf.ts';
import { foreignOf } from '../formats/foreign.ts';
import { headOf } from '../formats/head.ts';
import { type ReadOptions, requireFitting } from '../options.ts';
import type { DetectedFormat, FileFormat, ReadLimits } from '../reading/types.ts';
import { fetchStretch, storedPlain } from './plain.ts';

const HEAD_BYTES = 1 << 16;
const textFormats = ['csv', 'tsv', 'json', 'ndjson'] as const satisfies readonly FileFormat[];
export type TextFormat = (typeof textFormats)[number];

export const textFormatOf = (format: string): TextFormat | undefined => textFormats.find((each) => each === format);

/** What a text is: one table, one of which the caller says where it stands, or an object with a table below each of some keys. */
export type Holds = 'a table' | 'a path' | 'keys';

export interface LargeText {
  readonly format: TextFormat;
  readonly holds: Holds;
  readonly tableName: string;
  readonly encoding: DetectedEncoding;
}

interface Asked {
  readonly objects: Objects;
  readonly file: Pick<FileRecord, 'objectKey' | 'size'>;
  /** As it was uploaded. */
  readonly name: string;
  readonly options: ReadOptions;
}

/** Undefined where the file is to be read as a whole. Faults: OPTION_MISFIT, and those of `detectFile`. */
export const largeText = async (
  ctx: Pick<StageContext, 'folder' | 'signal'>,
  { limits, ...asked }: Asked & { readonly limits: ReadLimits },
): Promise<LargeText | undefined> => (asked.file.size <= limits.chunkBytes ? undefined : plainTextIn(ctx, asked));

/** The same of a file of any size; undefined where it is not the text of one table. */
export async function plainTextIn(
  ctx: Pick<StageContext, 'folder' | 'signal'>,
  { objects, file, name, options }: Asked,
): Promise<LargeText | undefined> {
  const path = join(await ctx.folder(), 'head');
  await fetchStretch(
    { objects, plain: storedPlain(file), signal: ctx.signal },
    { start: 0, end: Math.min(HEAD_BYTES, file.size) },
    path,
  );
  const head = await headOf(path);
  const found = await detected(path, head, name, options);
  return found && { ...found, encoding: encodingOfHead(head, options) };
}

/** As the caller or the head says; UTF-8 where nothing there shows another one. Throws the Fault OPTION_MISFIT. */
export const encodingOfHead = (head: Buffer, { encoding: said }: ReadOptions): DetectedEncoding =>
  said === undefined ? encodingOf(head) : encodingAsSaid(head, said);

/** What text that begins in this way is; undefined where it is no table. */
export function holdsOf(format: TextFormat, head: Buffer, { encoding, jsonPath }: ReadOptions): Holds | undefined {
  if (format !== 'json') return 'a table';
  if (jsonPath !== undefined) return 'a path';
  const content = contentOf(head, encoding);
  if (content === 'JSON object') return 'keys';
  return content === 'JSON array' ? 'a table' : undefined;
}

/** Of text; what is compressed, or no text, takes more than a head to be told. */
async function detected(
  path: string,
  head: Buffer,
  name: string,
  options: ReadOptions,
): Promise<Omit<LargeText, 'encoding'> | undefined> {
  if (compressionOfContent(head) !== 'none' || foreignOf(head) !== undefined) return undefined;
  const { format, tableName }: DetectedFormat = await detectFile({ path, name, encoding: options.encoding });
  const text = textFormatOf(format);
  const holds = text && holdsOf(text, head, options);
  if (text === undefined || holds === undefined) return undefined;
  requireFitting(format, options);
  return { format: text, holds, tableName };
}

/** Refuses what is too large to be read otherwise than in chunks. Throws the Fault FILE_TOO_LARGE. */
export function requireWhole({ size }: Pick<FileRecord, 'size'>, { maxWholeBytes: limit }: ReadLimits): void {
  if (size <= limit) return;
  const what = 'only text (CSV, TSV, NDJSON, JSON), compressed or not, and Parquet may be larger';
  throw new Fault('FILE_TOO_LARGE', `The file has ${size} bytes; the limit is ${limit}: ${what}.`, {
    extra: { size, limit },
  });
}
