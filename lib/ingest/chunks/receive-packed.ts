// A compressed file, received: where its text is large it is written out in pieces, and read in chunks of those. A file of one stream is
// unpacked as it comes from the store; a zip archive, whose list stands at its end, from the disk.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TableId } from '../../core/ids.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { expandedBytes, expandedHead, expandedStream, type Streamed } from '../formats/compression/expand.ts';
import { compressionOfContent, compressionOfName } from '../formats/compression/kinds.ts';
import { detectFile } from '../formats/detect.ts';
import { headOf } from '../formats/head.ts';
import { requireFitting } from '../options.ts';
import { attemptKey, freshFolder, SOURCE, tableIdOf } from '../stages/place.ts';
import { encodingOfHead, isOneTable, requireWhole, textFormatOf } from './large.ts';
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
  const { compression } = compressionOfName(receiving.name);
  const opened = await ctx.step('unpacked text', () =>
    compression === 'zip' || compression === 'none' ? fromDisk(ctx, receiving) : fromStore(ctx, receiving, compression),
  );
  const { found } = opened;
  if (opened.kind === 'whole') return { kind: 'found', of: found };
  const came = await planInRuns(ctx, receiving, opened.text);
  if (came.kind === 'continue') return came;
  const { plan, warnings } = came.value;
  return { kind: 'found', of: { ...found, plan, warnings: [...found.warnings, ...warnings] } };
}

async function asWhole({ file, limits, whole }: Receiving): Promise<Opened> {
  requireWhole(file, limits);
  return { kind: 'whole', found: await whole() };
}

const unpackingOf = async (ctx: StageContext, { objects, limits, dataset }: Receiving, table: TableId) => ({
  ...{ objects, pieceBytes: limits.chunkBytes, signal: ctx.signal },
  workDir: await freshFolder(ctx, 'pieces'),
  keyOf: (piece: number) => attemptKey(ctx, dataset, table, `text-${piece}`),
});

async function fromDisk(ctx: StageContext, receiving: Receiving): Promise<Opened> {
  const { limits, options } = receiving;
  const opened = await asWhole(receiving);
  const { found } = opened;
  const format = textFormatOf(found.source.format);
  const [table, ...others] = found.tables;
  const isOne = table !== undefined && others.length === 0 && table.within === undefined && table.entry === undefined;
  if (!isOne || format === undefined) return opened;
  const path = join(await ctx.folder(), SOURCE);
  const head = await expandedHead(path, 'zip');
  if (!isOneTable(format, head, options)) return opened;
  const encoding = encodingOfHead(head, options);
  const bytes = expandedBytes(path, 'zip', limits);
  const plain = await unpackText(bytes, await unpackingOf(ctx, receiving, table.table));
  return plain === undefined ? opened : { kind: 'pieces', text: { plain, format, encoding, table }, found };
}

/** Enough that there is a block of bzip2 in it, and the beginning of a text. */
const HEAD_BYTES = 4 << 20;

async function fromStore(ctx: StageContext, receiving: Receiving, compression: Streamed): Promise<Opened> {
  const { objects, file, limits, name, as, options, take, dataset } = receiving;
  const { size } = file;
  const path = join(await ctx.folder(), 'head');
  const end = Math.min(HEAD_BYTES, size);
  await fetchStretch({ objects, plain: storedPlain(file), signal: ctx.signal }, { start: 0, end }, path);
  // What is something else than its name says is refused by whoever can look at all of it.
  if (compressionOfContent(await headOf(path)) !== compression) return asWhole(receiving);
  const { format: detected, tableName } = await detectFile({ path, name, encoding: options.encoding });
  const head = await expandedHead(path, compression);
  const format = textFormatOf(detected);
  if (format === undefined || !isOneTable(format, head, options)) return asWhole(receiving);
  requireFitting(format, options);
  const encoding = encodingOfHead(head, options);
  const named = as ?? tableName;
  const hash = createHash('sha256');
  const bytes = seen(bytesOf(objects, storedPlain(file), { start: 0, end: size }), (piece, passed) => {
    hash.update(piece);
    ctx.progress(passed, size, 'receive');
  });
  const unpacking = await unpackingOf(ctx, receiving, tableIdOf(ctx.ref, dataset, named));
  const plain = await unpackText(expandedStream({ bytes, size, compression }, limits), unpacking);
  if (plain === undefined) return asWhole(receiving);
  const table = await take({ name: named });
  const source = { name, format, compression, bytes: size, sha256: hash.digest('hex') };
  return { kind: 'pieces', text: { plain, format, encoding, table }, found: { source, tables: [table], warnings: [] } };
}

/** The same bytes, each of which is looked at as it passes. */
async function* seen(
  bytes: AsyncIterable<Buffer>,
  look: (piece: Buffer, passed: number) => void,
): AsyncGenerator<Buffer> {
  let passed = 0;
  for await (const piece of bytes) {
    passed += piece.length;
    look(piece, passed);
    yield piece;
  }
}
