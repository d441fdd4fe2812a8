// What the loops over bytes share. Addresses are those of the linear memory; what is marked is a bit a byte, the first one lowest.

export const LF: i32 = 0x0a;
export const CR: i32 = 0x0d;
export const SPACE: i32 = 0x20;
export const QUOTE: i32 = 0x22;
export const COMMA: i32 = 0x2c;
/** Bytes of a vector. A loop may look at so many behind its end, and write as many. */
export const STEP: i32 = 16;

export function byteAt(at: i32): i32 {
  return load<u8>(at) as i32;
}

/** Marks the bytes from `at` on that are `byte`. */
export function equal(at: i32, byte: i32): i32 {
  return i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(byte as i8)));
}

/** The marks of bytes before `end`. */
export function before(marks: i32, at: i32, end: i32): i32 {
  return at + STEP <= end ? marks : marks & ((1 << (end - at)) - 1);
}
