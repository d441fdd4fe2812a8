// Parquet files with the columns of one table, some in each, become one file with all of them: the pages are copied as they are, and one
// footer tells where each column stands now. No value is read, so that a table may be wider than an engine could hold a row group of.
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { must } from '../../core/check.ts';
import {
  chunkFields,
  elementFields as element,
  fileFields as file,
  groupFields as rowGroup,
  metadataFields,
} from './fields.ts';
import { footerOf, MAGIC, tailOf } from './footer.ts';
import { type List, readStruct, type Struct, type Value, writeStruct } from './thrift.ts';

/** What of a column chunk moves with it. */
const indexes = { offsetIndex: chunkFields.offsetIndex, columnIndex: chunkFields.columnIndex } as const;
const { data, index, dictionary, bloom } = metadataFields;
const pages = { data, index, dictionary, bloom } as const;

interface Piece {
  readonly path: string;
  readonly footer: Struct;
  /** Bytes before the footer. */
  readonly end: number;
}

async function readPiece(path: string): Promise<Piece> {
  const { bytes, start } = await footerOf(path);
  return { path, footer: readStruct(bytes), end: start };
}

const listIn = (struct: Struct, field: number): List => must(struct.get(field), 'a list').value as List;
const numberIn = (struct: Struct, field: number): bigint => (struct.get(field)?.value as bigint | undefined) ?? 0n;
const structOf = ({ value }: Value): Struct => value as Struct;

/** With other values in some fields that are there. */
const changed = (struct: Struct, change: (field: number, value: bigint) => bigint | undefined): Struct =>
  new Map(
    [...struct].map(([field, value]) => {
      const next = typeof value.value === 'bigint' ? change(field, value.value) : undefined;
      return [field, next === undefined ? value : { ...value, value: next }];
    }),
  );

const moved = (struct: Struct, fields: Readonly<Record<string, number>>, by: bigint): Struct => {
  const offsets = new Set(Object.values(fields));
  return changed(struct, (field, value) => (offsets.has(field) ? value + by : undefined));
};

/** A column chunk that stands `by` bytes further on. Some writers leave the offset of a chunk at 0. */
function movedChunk(value: Value, by: bigint): Value {
  const { metadata: inside, offset } = chunkFields;
  const struct = moved(structOf(value), indexes, by);
  const placed = changed(struct, (field, at) => (field === offset && at > 0n ? at + by : undefined));
  const described = must(placed.get(inside), 'metadata');
  return {
    ...value,
    value: new Map([...placed, [inside, { ...described, value: moved(structOf(described), pages, by) }]]),
  };
}

/** The columns of one row group, from all pieces. */
function joinedGroup(groups: readonly Struct[], by: readonly bigint[]): Value {
  const first = must(groups[0], 'a row group');
  const rows = numberIn(first, rowGroup.rows);
  if (groups.some((group) => numberIn(group, rowGroup.rows) !== rows))
    throw new TypeError('the pieces have row groups of other sizes');
  const chunks = groups.flatMap((group, place) =>
    listIn(group, rowGroup.columns).items.map((item) => movedChunk(item, by[place] ?? 0n)),
  );
  const sum = (field: number): bigint => groups.reduce((total, group) => total + numberIn(group, field), 0n);
  const counted = changed(first, (field) =>
    field === rowGroup.bytes || field === rowGroup.compressed ? sum(field) : undefined,
  );
  const columns = { ...must(first.get(rowGroup.columns), 'columns'), value: { of: 12, items: chunks } };
  return {
    type: 12,
    value: new Map([...counted].map(([field, value]) => [field, field === rowGroup.columns ? columns : value])),
  };
}

function joinedFooter(pieces: readonly Piece[], by: readonly bigint[]): Buffer {
  const first = must(pieces[0], 'a piece').footer;
  const schemas = pieces.map(({ footer }) => listIn(footer, file.schema).items);
  const root = structOf(must(schemas[0]?.[0], 'a root'));
  const children = schemas.reduce((sum, [own]) => sum + numberIn(structOf(must(own, 'a root')), element.children), 0n);
  const wide = { type: 12, value: changed(root, (field) => (field === element.children ? children : undefined)) };
  const groups = pieces.map(({ footer }) => listIn(footer, file.rowGroups).items.map(structOf));
  const count = groups[0]?.length ?? 0;
  if (groups.some(({ length }) => length !== count)) throw new TypeError('the pieces have other numbers of row groups');
  const rowGroups = Array.from({ length: count }, (_, place) =>
    joinedGroup(
      groups.map((own) => must(own[place], 'a row group')),
      by,
    ),
  );
  const orders = pieces.flatMap(({ footer }) => (footer.get(file.orders)?.value as List | undefined)?.items ?? []);
  const lists = new Map([
    [file.schema, [wide, ...schemas.flatMap(([, ...columns]) => columns)]],
    [file.rowGroups, rowGroups],
    [file.orders, orders],
  ] as const);
  return writeStruct(
    new Map(
      [...first].map(([field, value]) => {
        const items = lists.get(field as never);
        return [field, items === undefined ? value : { ...value, value: { of: 12, items } }];
      }),
    ),
  );
}

/** Writes one file with the columns of all, in their order. Throws a TypeError where their row groups differ. */
export async function mergeColumns(paths: readonly string[], target: string): Promise<void> {
  const pieces = await Promise.all(paths.map(readPiece));
  const by: bigint[] = [];
  let end = MAGIC.length;
  for (const piece of pieces) {
    by.push(BigInt(end - MAGIC.length));
    end += piece.end - MAGIC.length;
  }
  const footer = joinedFooter(pieces, by);
  async function* bytes() {
    yield MAGIC;
    for (const { path, end: before } of pieces)
      if (before > MAGIC.length)
        yield* createReadStream(path, { start: MAGIC.length, end: before - 1 }) as AsyncIterable<Buffer>;
    yield tailOf(footer);
  }
  await pipeline(bytes, createWriteStream(target));
}
