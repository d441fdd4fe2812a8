// Thrift's compact protocol, as far as the footer of a Parquet file needs it: structs are read and written without knowing what they are, so
// that what a later writer adds goes through unchanged.

/** Types of the wire. */
const [TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, STRUCT] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12];

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

function byteReader(bytes: Uint8Array) {
  let at = 0;
  const byte = (): number => {
    const found = bytes[at++];
    if (found === undefined) throw new TypeError('the footer is cut short');
    return found;
  };
  const varint = (): bigint => {
    let [number, shift] = [0n, 0n];
    for (;;) {
      const next = byte();
      number |= BigInt(next & 127) << shift;
      if (next < 128) return number;
      shift += 7n;
    }
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
  return { byte, varint, integer, slice };
}

/** Reads one struct. Throws a TypeError for what is none. */
export function readStruct(bytes: Uint8Array): Struct {
  const { byte, varint, integer, slice } = byteReader(bytes);
  const list = (): List => {
    const head = byte();
    const [of, short] = [head & 15, head >> 4];
    const size = short === 15 ? Number(varint()) : short;
    return {
      of,
      items: Array.from({ length: size }, () => (of <= FALSE ? { type: byte(), value: undefined } : valueOf(of))),
    };
  };
  const struct = (): Struct => {
    const fields = new Map<number, Value>();
    for (let id = 0; ; ) {
      const head = byte();
      if (head === 0) return fields;
      id = head >> 4 === 0 ? Number(integer()) : id + (head >> 4);
      fields.set(id, valueOf(head & 15));
    }
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
  return struct();
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
