// What a footer says of a row group some of whose columns are written anew.
import { chunkFields, groupFields, metadataFields as metadata } from '../fields.ts';
import { structIn, structsIn } from '../groups/pages.ts';
import type { Struct, Value } from '../thrift.ts';
import type { Rewritten } from './write-column.ts';

const [I32, I64, LIST, STRUCT] = [5, 6, 9, 12];

/** The number of what the pages of a column are compressed with. */
export function codecIn(group: Struct, column: number): number {
  const chunk = structsIn(group, groupFields.columns)[column];
  const codec = chunk && structIn(chunk, chunkFields.metadata).get(metadata.codec)?.value;
  if (typeof codec !== 'bigint') throw new TypeError('the footer does not say how a column is compressed');
  return Number(codec);
}

const i64 = (value: number): Value => ({ type: I64, value: BigInt(value) });

const changed = (struct: Struct, fields: ReadonlyMap<number, Value>): Struct =>
  new Map([...struct].map(([field, value]) => [field, fields.get(field) ?? value]));

function rewrittenChunk(chunk: Struct, column: Rewritten): Struct {
  // How many pages there are of which kind is no longer so.
  const inside = [...structIn(chunk, chunkFields.metadata)].filter(([field]) => field !== metadata.encodingStatistics);
  // Where the footer names no dictionary, the pages begin with it.
  const hasDictionary = inside.some(([field]) => field === metadata.dictionary);
  const fields = new Map<number, Value>([
    [metadata.codec, { type: I32, value: BigInt(column.codec) }],
    [metadata.uncompressed, i64(column.uncompressed)],
    [metadata.compressed, i64(column.compressed)],
    [metadata.data, i64(hasDictionary ? column.data : column.start)],
  ]);
  if (column.dictionary !== undefined) fields.set(metadata.dictionary, i64(column.dictionary));
  return changed(chunk, new Map([[chunkFields.metadata, { type: STRUCT, value: changed(new Map(inside), fields) }]]));
}

const sizeIn = (chunk: Struct, field: number): number =>
  Number(structIn(chunk, chunkFields.metadata).get(field)?.value ?? 0);

/** By the place of the column. */
export function rewrittenGroup(group: Struct, columns: ReadonlyMap<number, Rewritten>): Struct {
  const chunks = structsIn(group, groupFields.columns).map((chunk, place) => {
    const column = columns.get(place);
    return column === undefined ? chunk : rewrittenChunk(chunk, column);
  });
  const sum = (field: number): Value => i64(chunks.reduce((total, chunk) => total + sizeIn(chunk, field), 0));
  const items = chunks.map((value) => ({ type: STRUCT, value }));
  return changed(
    group,
    new Map<number, Value>([
      [groupFields.columns, { type: LIST, value: { of: STRUCT, items } }],
      [groupFields.bytes, sum(metadata.uncompressed)],
      [groupFields.compressed, sum(metadata.compressed)],
    ]),
  );
}
