// What stands before each page of a column in a row group: what kind of page it is, and how long.
import type { FileHandle } from 'node:fs/promises';
import { data2Fields, dataFields, pageFields } from '../fields.ts';
import { leadingStruct, type Struct, type Value, writeStruct } from '../thrift.ts';

export const encodings = { plain: 0, rle: 3 } as const;
const kinds = { data: 0, index: 1, dictionary: 2, data2: 3 } as const;

interface PageSize {
  /** Without its header. */
  readonly compressed: number;
  readonly uncompressed: number;
}

/** How many values there are, the missing ones among them. */
interface DataPage extends PageSize {
  readonly kind: 'data';
  readonly values: number;
  readonly encoding: number;
}

interface DataPage2 extends PageSize {
  readonly kind: 'data2';
  readonly values: number;
  readonly encoding: number;
  /** Of the levels, which are never compressed. */
  readonly repetitionBytes: number;
  readonly definitionBytes: number;
  readonly isCompressed: boolean;
}

interface OtherPage extends PageSize {
  readonly kind: 'other';
}

export type PageHeader = DataPage | DataPage2 | OtherPage;

/** A page where it stands in its file. */
export interface Page {
  readonly header: PageHeader;
  /** Where its header begins, where it ends, and where the page does. */
  readonly start: number;
  readonly data: number;
  readonly end: number;
  readonly struct: Struct;
}

const numberIn = (struct: Struct, field: number): number => {
  const value = struct.get(field)?.value;
  if (typeof value !== 'bigint' || value < 0n) throw new TypeError('the header of a page lacks a number');
  return Number(value);
};

const structIn = (struct: Struct, field: number): Struct => {
  const value = struct.get(field)?.value;
  if (!(value instanceof Map)) throw new TypeError('the header of a page lacks what it says of its kind');
  return value as Struct;
};

const FALSE = 2;

/** Throws a TypeError for what is no header. */
function headerOf(struct: Struct): PageHeader {
  const [kind, compressed] = [numberIn(struct, pageFields.kind), numberIn(struct, pageFields.compressed)];
  const size = { compressed, uncompressed: numberIn(struct, pageFields.uncompressed) };
  if (kind === kinds.data) {
    const data = structIn(struct, pageFields.data);
    const [values, encoding] = [numberIn(data, dataFields.values), numberIn(data, dataFields.encoding)];
    return { kind: 'data', ...size, values, encoding };
  }
  if (kind !== kinds.data2) return { kind: 'other', ...size };
  const data = structIn(struct, pageFields.data2);
  return {
    ...{ kind: 'data2', ...size, values: numberIn(data, data2Fields.values) },
    encoding: numberIn(data, data2Fields.encoding),
    definitionBytes: numberIn(data, data2Fields.definitionBytes),
    repetitionBytes: numberIn(data, data2Fields.repetitionBytes),
    isCompressed: data.get(data2Fields.isCompressed)?.type !== FALSE,
  };
}

/** Bytes that a header is looked for in: more where it holds long statistics. */
const [HEADER_BYTES, MOST_HEADER_BYTES] = [512, 8 * 2 ** 20];

async function headerAt(file: FileHandle, start: number, end: number) {
  for (let length = HEADER_BYTES; ; length *= 16) {
    const bytes = Buffer.alloc(Math.min(length, end - start));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    const isAll = bytes.length === end - start || length >= MOST_HEADER_BYTES;
    const found = leadingIn(bytes.subarray(0, bytesRead), isAll);
    if (found !== undefined) return found;
  }
}

/** Undefined where there may be more of it. */
function leadingIn(bytes: Buffer, isAll: boolean) {
  try {
    return leadingStruct(bytes);
  } catch (thrown) {
    if (isAll) throw thrown;
    return undefined;
  }
}

/** The pages between two places of a file. Throws a TypeError where other things stand there. */
export async function* pagesIn(file: FileHandle, start: number, end: number): AsyncGenerator<Page> {
  for (let at = start; at < end; ) {
    const { struct, length } = await headerAt(file, at, end);
    const header = headerOf(struct);
    const page = { header, struct, start: at, data: at + length, end: at + length + header.compressed };
    if (page.end > end) throw new TypeError('a page is longer than its column');
    yield page;
    at = page.end;
  }
}

const [I32, STRUCT] = [5, 12];
const i32 = (number: number): Value => ({ type: I32, value: BigInt(number) });

/** Of a page of plain values. */
export function plainHeader({ values, compressed, uncompressed }: PageSize & { readonly values: number }): Buffer {
  const data = new Map([
    [dataFields.values, i32(values)],
    [dataFields.encoding, i32(encodings.plain)],
    [dataFields.definition, i32(encodings.rle)],
    [dataFields.repetition, i32(encodings.rle)],
  ]);
  return writeStruct(
    new Map<number, Value>([
      [pageFields.kind, i32(kinds.data)],
      [pageFields.uncompressed, i32(uncompressed)],
      [pageFields.compressed, i32(compressed)],
      [pageFields.data, { type: STRUCT, value: data }],
    ]),
  );
}

/** The header of a page that is compressed otherwise; a checksum was of the bytes before. */
export const resized = (struct: Struct, compressed: number): Buffer =>
  writeStruct(
    new Map(
      [...struct]
        .filter(([field]) => field !== pageFields.checksum)
        .map(([field, value]) => [field, field === pageFields.compressed ? i32(compressed) : value]),
    ),
  );
