// Thrift's compact protocol, as far as the footer of a Parquet file needs it: structs are read and written without knowing what they are, so
// that what a later writer adds goes through unchanged.

/** Types of the wire. */
const [TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12];

/** Of ten bytes of seven bits, in which every number of 64 bits has room. */
const VARINT_BITS = 70;

export interface Value {
  readonly type: number;
  /** Integers are bigints, texts and doubles bytes. */
  readonly value: bigint | Uint8Array | List | Struct | undefined;
}
export interface List {
  readonly of: number;
  readonly items: readonly Value[];
}
/** By the number of the field, in their order. */
export type Struct = ReadonlyMap<number, Value>;

function byteReader(bytes: Uint8Array, from = 0) {
  let at = from;
  const byte = (): number => {
    const found = bytes[at++];
    if (found === undefined) throw new TypeError('the footer is cut short');
    return found;
  };
  const varint = (): bigint => {
    let number = 0n;
    for (let shift = 0; shift < VARINT_BITS; shift += 7) {
      const next = byte();
      number |= BigInt(next & 127) << BigInt(shift);
      if (next < 128) return number;
    }
    throw new TypeError('the footer holds a number that never ends');
  };
  const passVarint = (): void => {
    for (let bits = 0; bits < VARINT_BITS; bits += 7) if (byte() < 128) return;
    throw new TypeError('the footer holds a number that never ends');
  };
  const integer = (): bigint => {
    const number = varint();
    return (number >> 1n) ^ -(number & 1n);
  };
  const slice = (length: number): Uint8Array => {
    const found = bytes.subarray(at, at + length);
    if (found.length < length) throw new TypeError('the footer is cut short');
    at += length;
    return found;
  };
  return { byte, varint, passVarint, integer, slice, place: () => at };
}

type Reader = ReturnType<typeof byteReader>;

/** Each item has a byte at least, so that no list is made for items that are not there. */
function listHead({ byte, varint, place }: Reader, bytes: Uint8Array): { of: number; size: number } {
  const head = byte();
  const [of, short] = [head & 15, head >> 4];
  const size = short === 15 ? Number(varint()) : short;
  if (size > bytes.length - place()) throw new TypeError('the footer is cut short');
  return { of, size };
}

/** The next field of a struct: its number and type; undefined at the end. `before`: the number of the one before it. */
function fieldHead({ byte, integer }: Reader, before: number): { id: number; type: number } | undefined {
  const head = byte();
  if (head === 0) return undefined;
  return { id: head >> 4 === 0 ? Number(integer()) : before + (head >> 4), type: head & 15 };
}

/** Reads one struct. Throws a TypeError for what is none. */
export const readStruct = (bytes: Uint8Array): Struct => structReader(bytes).next();

/** Reads the struct that `bytes` begin with; `length`: how many of them it is. Throws a TypeError for what is none. */
export function leadingStruct(bytes: Uint8Array): { readonly struct: Struct; readonly length: number } {
  const { next, place } = structReader(bytes);
  return { struct: next(), length: place() };
}

/** Reads structs that follow each other. Throws a TypeError for what is none. */
export function readStructs(bytes: Uint8Array, count: number): Struct[] {
  const { next } = structReader(bytes);
  return Array.from({ length: count }, next);
}

/** Reads the next struct with each call. */
function structReader(bytes: Uint8Array): { readonly next: () => Struct; readonly place: () => number } {
  const reader = byteReader(bytes);
  const { byte, varint, integer, slice, place } = reader;
  const list = (): List => {
    const { of, size } = listHead(reader, bytes);
    return {
      of,
      items: Array.from({ length: size }, () => (of <= FALSE ? { type: byte(), value: undefined } : valueOf(of))),
    };
  };
  const struct = (): Struct => {
    const fields = new Map<number, Value>();
    for (let head = fieldHead(reader, 0); head !== undefined; head = fieldHead(reader, head.id))
      fields.set(head.id, valueOf(head.type));
    return fields;
  };
  const valueOf = (type: number): Value => {
    if (type === TRUE || type === FALSE) return { type, value: undefined };
    if (type === BYTE) return { type, value: BigInt(byte()) };
    if (type === I16 || type === I32 || type === I64) return { type, value: integer() };
    if (type === DOUBLE) return { type, value: slice(8) };
    if (type === BINARY) return { type, value: slice(Number(varint())) };
    if (type === LIST || type === SET) return { type, value: list() };
    if (type === STRUCT) return { type, value: struct() };
    throw new TypeError(`the footer holds a value of the type ${type}`);
  };
  return { next: struct, place };
}

/** Where something stands: from `start`, up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Passes over a value. */
function skip(reader: Reader, bytes: Uint8Array, type: number): void {
  if (type === BYTE) reader.byte();
  else if (type === I16 || type === I32 || type === I64) reader.passVarint();
  else if (type === DOUBLE) reader.slice(8);
  else if (type === BINARY) reader.slice(Number(reader.varint()));
  else if (type === LIST || type === SET) skipItems(reader, bytes);
  else if (type === STRUCT) skipFields(reader, bytes);
  else if (type !== TRUE && type !== FALSE) throw new TypeError(`the footer holds a value of the type ${type}`);
}

function skipItems(reader: Reader, bytes: Uint8Array): void {
  const { of, size } = listHead(reader, bytes);
  for (let item = 0; item < size; item++) skip(reader, bytes, of <= FALSE ? BYTE : of);
}

function skipFields(reader: Reader, bytes: Uint8Array): void {
  for (let head = fieldHead(reader, 0); head !== undefined; head = fieldHead(reader, head.id))
    skip(reader, bytes, head.type);
}

/** Where the value of each field of the struct at `at` stands, by its number. Throws a TypeError for what is none. */
export function fieldsAt(bytes: Uint8Array, at: number): ReadonlyMap<number, Span> {
  const reader = byteReader(bytes, at);
  const fields = new Map<number, Span>();
  for (let head = fieldHead(reader, 0); head !== undefined; head = fieldHead(reader, head.id)) {
    const start = reader.place();
    skip(reader, bytes, head.type);
    fields.set(head.id, { start, end: reader.place() });
  }
  return fields;
}

/** The whole number at `at`, of 16 bits or more. Throws a TypeError for what is none. */
export const integerAt = (bytes: Uint8Array, at: number): number => Number(byteReader(bytes, at).integer());

/** Where each item of the list at `at` stands. Throws a TypeError for what is none. */
export function itemsAt(bytes: Uint8Array, at: number): Span[] {
  const reader = byteReader(bytes, at);
  const { of, size } = listHead(reader, bytes);
  return Array.from({ length: size }, () => {
    const start = reader.place();
    skip(reader, bytes, of);
    return { start, end: reader.place() };
  });
}

function byteWriter() {
  const out: number[] = [];
  const pieces: Buffer[] = [];
  const byte = (value: number): void => void out.push(value);
  const varint = (given: bigint): void => {
    let number = given;
    for (; number > 127n; number >>= 7n) byte(Number(number & 127n) | 128);
    byte(Number(number));
  };
  const integer = (number: bigint): void => varint(BigInt.asUintN(64, (number << 1n) ^ (number >> 63n)));
  const raw = (bytes: Uint8Array): void => bytes.forEach(byte);
  const flush = (): void => void pieces.push(Buffer.from(out.splice(0)));
  /** Numbers take more room than the bytes that they are. */
  const spill = (): void => {
    if (out.length > 65_536) flush();
  };
  const all = (): Buffer => {
    flush();
    return Buffer.concat(pieces);
  };
  return { byte, varint, integer, raw, spill, all };
}

export function writeStruct(fields: Struct): Buffer {
  const { byte, varint, integer, raw, spill, all } = byteWriter();
  const list = ({ of, items }: List): void => {
    if (items.length < 15) byte((items.length << 4) | of);
    else {
      byte(0xf0 | of);
      varint(BigInt(items.length));
    }
    for (const item of items)
      if (of <= FALSE) byte(item.type);
      else write(item);
  };
  const struct = (of: Struct): void => {
    let before = 0;
    for (const [id, value] of of) {
      const by = id - before;
      if (by > 0 && by <= 15) byte((by << 4) | value.type);
      else {
        byte(value.type);
        integer(BigInt(id));
      }
      before = id;
      write(value);
    }
    byte(0);
    spill();
  };
  const write = ({ type, value }: Value): void => {
    if (value === undefined) return;
    if (value instanceof Uint8Array) {
      if (type === BINARY) varint(BigInt(value.length));
      raw(value);
    } else if (type === BYTE) byte(Number(value));
    else if (typeof value === 'bigint') integer(value);
    else if (value instanceof Map) struct(value as Struct);
    else list(value as List);
  };
  struct(fields);
  return all();
}
