// A column of a row group written anew with small pages.
import type { FileHandle } from 'node:fs/promises';
import type { Pages } from '../groups/pages.ts';
import { compressedLike, expandedBy } from './codecs.ts';
import { atMost } from './byte-queue.ts';
import { canBeCut, cutPage, type Cutting } from './cut-page.ts';
import type { Leaf } from './leaves.ts';
import { type Output, storedIn } from './output.ts';
import { type Page, pagesIn, plainHeader, resized } from './page-header.ts';

/** Where a column stands, and how it is stored. */
export interface Rewritten {
  readonly codec: number;
  readonly start: number;
  readonly data: number;
  readonly dictionary: number | undefined;
  readonly compressed: number;
  readonly uncompressed: number;
}

interface Column {
  readonly file: FileHandle;
  readonly pages: Pages;
  readonly leaf: Leaf;
  readonly codec: number;
  readonly mostBytes: Cutting['mostBytes'];
  readonly signal: AbortSignal | undefined;
}

/** Of a page that stays one. */
const WHOLE_BYTES = 32 * 2 ** 20;

async function allOf(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

interface Written {
  readonly header: Buffer;
  readonly stored: Buffer;
  /** Bytes, before they are compressed. */
  readonly size: number;
}

type Compress = (bytes: Buffer) => Buffer;

/** The page compressed otherwise. */
async function wholePage(page: Page, { expand, stored }: Cutting, compress: Compress): Promise<Written> {
  const { header, data, end } = page;
  const levels = header.kind === 'data2' ? header.repetitionBytes + header.definitionBytes : 0;
  const before = await allOf(stored(data, data + levels));
  const rest = stored(data + levels, end);
  const isPlain = header.kind === 'data2' && !header.isCompressed;
  const values = isPlain ? await allOf(rest) : compress(await allOf(atMost(expand(rest), header.uncompressed)));
  const bytes = Buffer.concat([before, values]);
  return { header: resized(page.struct, bytes.length), stored: bytes, size: header.uncompressed };
}

async function* smallPages(page: Page, cutting: Cutting, compress: Compress): AsyncGenerator<Written> {
  for await (const { values, body } of cutPage(page, cutting)) {
    const stored = compress(body);
    const header = plainHeader({ values, compressed: stored.length, uncompressed: body.length });
    yield { header, stored, size: body.length };
  }
}

/** Answers how many bytes they are before they are compressed, with their headers. */
async function writeAll(pages: AsyncIterable<Written> | Iterable<Written>, output: Output): Promise<number> {
  let bytes = 0;
  for await (const { header, stored, size } of pages) {
    await output.write(header);
    await output.write(stored);
    bytes += header.length + size;
  }
  return bytes;
}

/** Throws a TypeError where it cannot be read, and what says that it is not compressed as it says. */
export async function writeColumn(column: Column, output: Output): Promise<Rewritten> {
  const { file, pages, leaf, codec, mostBytes, signal } = column;
  const expand = expandedBy(codec);
  if (expand === undefined) throw new TypeError('the pages are compressed in a way that is not read');
  const { compress, codec: written } = compressedLike(codec);
  const cutting: Cutting = { leaf, expand, mostBytes, stored: (start, end) => storedIn(file, start, end) };
  const start = output.at();
  const found: { data?: number; dictionary?: number } = {};
  let uncompressed = 0;
  for await (const page of pagesIn(file, pages.start, pages.end)) {
    signal?.throwIfAborted();
    found[page.header.kind === 'other' ? 'dictionary' : 'data'] ??= output.at();
    if (canBeCut(page, leaf)) uncompressed += await writeAll(smallPages(page, cutting, compress), output);
    else if (page.header.uncompressed > WHOLE_BYTES) throw new TypeError('a page is too large, and cannot be cut');
    else if (codec !== written) uncompressed += await writeAll([await wholePage(page, cutting, compress)], output);
    else {
      await output.copy(file, page.start, page.end);
      uncompressed += page.data - page.start + page.header.uncompressed;
    }
  }
  const { data = start, dictionary } = found;
  return { codec: written, start, data, dictionary, compressed: output.at() - start, uncompressed };
}
