// Reads tables of FlatBuffers, the form of Arrow's metadata. Every offset is tried against the bytes at hand; offsets only lead forward.
import { Fault } from '../../core/fault.ts';

export const damaged = (what: string, cause?: unknown): Fault =>
  new Fault('PARSE_ERROR', `Arrow: ${what}`, cause === undefined ? {} : { cause });

/** A table; fields go by the place of their offset in its vtable: 4, 6, 8, … */
export interface Table {
  has(field: number): boolean;
  byte(field: number, otherwise: number): number;
  short(field: number, otherwise: number): number;
  int(field: number, otherwise: number): number;
  /** A whole number that JavaScript holds exactly. */
  long(field: number, otherwise: number): number;
  flag(field: number): boolean;
  text(field: number): string | undefined;
  table(field: number): Table | undefined;
  tables(field: number): Table[];
  /** The items of a vector of structs or numbers of `width` bytes. */
  items<T>(field: number, width: number, read: (view: DataView, at: number) => T): T[];
}

/** Throws the Fault PARSE_ERROR where it is past what JavaScript holds, or negative. */
export function longAt(view: DataView, at: number): number {
  const value = Number(view.getBigInt64(at, true));
  if (value < 0 || !Number.isSafeInteger(value)) throw damaged(`a size of ${value} cannot be.`);
  return value;
}

function tableAt(view: DataView, at: number): Table {
  const vtable = at - view.getInt32(at, true);
  const vtableBytes = view.getUint16(vtable, true);
  const place = (field: number): number => {
    const offset = field < vtableBytes ? view.getUint16(vtable + field, true) : 0;
    return offset === 0 ? 0 : at + offset;
  };
  const follow = (from: number): number => from + view.getUint32(from, true);
  const vector = (field: number, width: number): { start: number; count: number } => {
    const from = place(field);
    if (from === 0) return { start: 0, count: 0 };
    const start = follow(from);
    const count = view.getUint32(start, true);
    if (start + 4 + count * width > view.byteLength) throw damaged('a list ends behind its message.');
    return { start: start + 4, count };
  };
  const items: Table['items'] = (field, width, read) => {
    const { start, count } = vector(field, width);
    return Array.from({ length: count }, (_, index) => read(view, start + index * width));
  };
  return {
    has: (field) => place(field) !== 0,
    byte: (field, otherwise) => (place(field) === 0 ? otherwise : view.getUint8(place(field))),
    short: (field, otherwise) => (place(field) === 0 ? otherwise : view.getInt16(place(field), true)),
    int: (field, otherwise) => (place(field) === 0 ? otherwise : view.getInt32(place(field), true)),
    long: (field, otherwise) => (place(field) === 0 ? otherwise : longAt(view, place(field))),
    flag: (field) => place(field) !== 0 && view.getUint8(place(field)) !== 0,
    text: (field) => {
      if (place(field) === 0) return undefined;
      const { start, count } = vector(field, 1);
      const bytes = new Uint8Array(view.buffer, view.byteOffset + start, count);
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    },
    table: (field) => (place(field) === 0 ? undefined : tableAt(view, follow(place(field)))),
    tables: (field) => items(field, 4, (_, from) => tableAt(view, follow(from))),
    items,
  };
}

/** Runs `read` over the root table; what lies outside of the bytes, or is no text, is the Fault PARSE_ERROR. */
export function readRoot<T>(bytes: Buffer, read: (root: Table) => T): T {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return read(tableAt(view, view.getUint32(0, true)));
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof TypeError)
      throw damaged('the metadata of a message is damaged.', thrown);
    throw thrown;
  }
}
