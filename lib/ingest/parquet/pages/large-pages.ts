// Which row groups of a Parquet file have pages that are too large together. DuckDB holds a page of each column as a whole, as it is stored and
// as it is read, the one before it too as long as a value of it is in use, and all of that once a thread; it takes each up to the next power of two.
import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { chunkFields, fileFields, groupFields, metadataFields as metadata } from '../fields.ts';
import type { Footer } from '../footer.ts';
import { fieldsAt, integerAt, itemsAt, type Span } from '../thrift.ts';
import { canBeCut } from './cut-page.ts';
import type { Leaf } from './leaves.ts';
import { pagesIn } from './page-header.ts';

/** What most writers make pages of; DuckDB makes them of up to 100 MB. */
const USUAL_BYTES = 2 ** 20;
/** Row groups that are looked at before others have a turn. */
const AT_ONCE = 16;

interface Chunk {
  readonly uncompressed: number;
  readonly start: number;
  readonly end: number;
}

function chunkAt(footer: Buffer, { start }: Span): Chunk {
  const inside = fieldsAt(footer, start).get(chunkFields.metadata);
  if (inside === undefined) throw new TypeError('the footer says nothing of a column');
  const fields = fieldsAt(footer, inside.start);
  const numberIn = (field: number): number => {
    const span = fields.get(field);
    return span === undefined ? 0 : integerAt(footer, span.start);
  };
  const dictionary = numberIn(metadata.dictionary);
  const data = numberIn(metadata.data);
  const from = dictionary > 0 ? Math.min(dictionary, data) : data;
  return { uncompressed: numberIn(metadata.uncompressed), start: from, end: from + numberIn(metadata.compressed) };
}

/** Of those that can be cut. */
async function largestPage(file: FileHandle, { start, end }: Chunk, leaf: Leaf): Promise<number> {
  let largest = 0;
  for await (const page of pagesIn(file, start, end))
    if (canBeCut(page, leaf)) largest = Math.max(largest, page.header.uncompressed);
  return largest;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

interface Group {
  readonly file: FileHandle;
  readonly chunks: readonly Chunk[];
  readonly leaves: readonly Leaf[];
  readonly most: number;
}

/** The places of the columns with large pages, where these have more than `most` bytes together. */
async function largeIn({ file, chunks, leaves, most }: Group): Promise<ReadonlySet<number> | undefined> {
  const isLarge = (size: number): boolean => size > USUAL_BYTES;
  const sizes = chunks.map(({ uncompressed }) => (isLarge(uncompressed) ? uncompressed : 0));
  // What a column has is no less than its largest page.
  if (sum(sizes) <= most) return undefined;
  for (const [column, leaf] of leaves.entries()) {
    const chunk = chunks[column];
    if (chunk === undefined || sizes[column] === 0) continue;
    const largest = await largestPage(file, chunk, leaf);
    sizes[column] = isLarge(largest) ? largest : 0;
  }
  return sum(sizes) > most ? new Set(sizes.flatMap((size, column) => (size > 0 ? column : []))) : undefined;
}

interface Looking extends Pick<Group, 'file' | 'leaves' | 'most'> {
  readonly footer: Footer;
}

/** The places of the columns whose pages are to be cut, by the place of the row group. Throws a TypeError for what is no Parquet. */
export async function largePages({
  footer: { bytes: footer },
  ...of
}: Looking): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const found = new Map<number, ReadonlySet<number>>();
  for (const [place, group] of listAt(footer, fieldsAt(footer, 0).get(fileFields.rowGroups)).entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const columns = listAt(footer, fieldsAt(footer, group.start).get(groupFields.columns));
    const large = await largeIn({ ...of, chunks: columns.map((span) => chunkAt(footer, span)) });
    if (large !== undefined) found.set(place, large);
  }
  return found;
}

const listAt = (bytes: Uint8Array, field: Span | undefined): Span[] =>
  field === undefined ? [] : itemsAt(bytes, field.start);
