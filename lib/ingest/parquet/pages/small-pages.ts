// A Parquet file whose pages are too large together, written anew with small ones: its values and what its footer says of them stay as they are.
// DuckDB writes a page for up to 100 MB of values, and holds pages as a whole where it reads them: who reads the table would need as much.
import { type FileHandle, open, rm } from 'node:fs/promises';
import { must } from '../../../core/check.ts';
import { Fault } from '../../../core/fault.ts';
import type { ReadLimits } from '../../reading/types.ts';
import { allowance } from '../../formats/compression/expand.ts';
import { fileFields } from '../fields.ts';
import { type Footer, footerOf, MAGIC, tailOf } from '../footer.ts';
import { type GroupPages, groupPages, HEADER_BYTES, movedGroup, structsIn, type Pages } from '../groups/pages.ts';
import { readStruct, type Struct, type Value, writeStruct } from '../thrift.ts';
import { largePages } from './large-pages.ts';
import { type Leaf, leavesIn } from './leaves.ts';
import { type Output, outputTo } from './output.ts';
import { codecIn, rewrittenGroup } from './rewritten-group.ts';
import { type Rewritten, writeColumn } from './write-column.ts';

export interface Rewriting {
  readonly path: string;
  readonly target: string;
  readonly limits: Pick<ReadLimits, 'maxCellBytes' | 'pagesBytes' | 'maxDecompressedBytes' | 'maxDecompressionRatio'>;
  readonly signal?: AbortSignal | undefined;
}

/** Writes `target` where the file at `path` has such pages, and says whether it has. What is no sound Parquet file is left to who reads it. */
export async function writeSmallPages(rewriting: Rewriting): Promise<boolean> {
  const { path, target, limits, signal } = rewriting;
  try {
    await using file = await open(path);
    const footer = await footerOf(path);
    const leaves = leavesIn(footer.bytes);
    const large = await largePages({ file, footer, leaves, most: limits.pagesBytes });
    if (large.size === 0) return false;
    await using output = await open(target, 'w');
    if (await rewrite({ ...rewriting, file, footer, leaves, large }, output)) return true;
  } catch (thrown) {
    await rm(target, { force: true });
    signal?.throwIfAborted();
    if (!isDamage(thrown)) throw thrown;
    return false;
  }
  await rm(target, { force: true });
  return false;
}

/** Whether it is the file that is wrong, and not the disk. */
const isDamage = (thrown: unknown): boolean =>
  thrown instanceof TypeError ||
  thrown instanceof RangeError ||
  thrown instanceof Fault ||
  (thrown instanceof Error && 'code' in thrown && !('syscall' in thrown));

interface Sources extends Rewriting {
  readonly file: FileHandle;
  readonly footer: Footer;
  readonly leaves: readonly Leaf[];
  readonly large: ReadonlyMap<number, ReadonlySet<number>>;
}

const [LIST, STRUCT] = [9, 12];

/** Says whether anything was cut. */
async function rewrite(sources: Sources, target: FileHandle): Promise<boolean> {
  const struct = readStruct(sources.footer.bytes);
  const output = outputTo(target);
  await output.write(MAGIC);
  const groups: Value[] = [];
  let cut = 0;
  for (const [place, group] of structsIn(struct, fileFields.rowGroups).entries()) {
    const written = await rewriteGroup(sources, group, place, output);
    groups.push({ type: STRUCT, value: written.group });
    cut += written.cut;
  }
  const list = { type: LIST, value: { of: STRUCT, items: groups } };
  const fields = [...struct].map(([field, value]) => [field, field === fileFields.rowGroups ? list : value] as const);
  await output.write(tailOf(writeStruct(new Map(fields))));
  await output.end();
  return cut > 0;
}

/** What the footer is to say of the row group, and how many of its columns were cut. */
async function rewriteGroup(sources: Sources, group: Struct, place: number, output: Output) {
  const { file, footer, leaves, large, signal } = sources;
  const pages = groupPages(group, footer.start);
  requireApart(pages);
  if (pages.columns.length !== leaves.length) throw new TypeError('a row group has another number of columns');
  const moved = new Map<number, number>();
  const rewritten = new Map<number, Rewritten>();
  for (const [column, own] of pages.columns.entries()) {
    signal?.throwIfAborted();
    const leaf = must(leaves[column], 'a leaf');
    const isLarge = large.get(place)?.has(column) === true;
    const small = isLarge ? await cutColumn(sources, { group, column, own, leaf }, output) : undefined;
    if (small !== undefined) {
      rewritten.set(column, small);
      continue;
    }
    moved.set(own.start, output.at() - own.start);
    if (own.start < own.end) await output.copy(file, own.start, Math.min(own.end + HEADER_BYTES, footer.start));
  }
  const there = movedGroup(group, pages, (start) => moved.get(start) ?? 0);
  return { group: rewrittenGroup(there.value as Struct, rewritten), cut: rewritten.size };
}

interface Chunk {
  readonly group: Struct;
  readonly column: number;
  readonly own: Pages;
  readonly leaf: Leaf;
}

/** Undefined where it cannot be cut: it is then as if it had not been tried. */
async function cutColumn(sources: Sources, { group, column, own, leaf }: Chunk, output: Output) {
  const { file, limits, signal } = sources;
  const before = output.at();
  try {
    const codec = codecIn(group, column);
    const expanded = (stored: number): number => allowance(stored, limits).limit;
    const mostBytes = { value: limits.maxCellBytes, expanded };
    return await writeColumn({ file, pages: own, leaf, codec, mostBytes, signal }, output);
  } catch (thrown) {
    signal?.throwIfAborted();
    if (!isDamage(thrown)) throw thrown;
    await output.back(before);
    return undefined;
  }
}

function requireApart({ columns }: GroupPages): void {
  const sorted = columns.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start);
  for (const [index, { start }] of sorted.entries())
    if (start < (sorted[index - 1]?.end ?? 0)) throw new TypeError('two columns are to stand at one place');
}
