// Levels of Parquet: for each entry of a page a small number that says whether there is a value, and whether it goes on with the row before.
// They stand in runs of one number, and in groups of eight numbers of some bits each.

/** Bits that a level of at most `most` takes. */
export const bitsOf = (most: number): number => 32 - Math.clz32(most);

/** Reads `count` levels. Throws a TypeError where there are fewer, or other ones. */
export function readLevels(bytes: Uint8Array, count: number, most: number): Uint8Array {
  const [levels, bits] = [new Uint8Array(count), bitsOf(most)];
  let [at, done] = [0, 0];
  const byte = (): number => {
    const found = bytes[at++];
    if (found === undefined) throw new TypeError('the levels of a page are cut short');
    return found;
  };
  while (done < count) {
    const head = varint(byte);
    const length = Math.min((head >>> 1) * ((head & 1) === 1 ? 8 : 1), count - done);
    if (length === 0) throw new TypeError('the levels of a page hold an empty run');
    if ((head & 1) === 0) levels.fill(byte(), done, done + length);
    else {
      unpack(bytes, at, bits, levels.subarray(done, done + length));
      at += (head >>> 1) * bits;
    }
    done += length;
  }
  for (const level of levels) if (level > most) throw new TypeError('a page has a level that its column has not');
  return levels;
}

function varint(byte: () => number): number {
  let number = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const next = byte();
    number += (next & 127) * 2 ** shift;
    if (next < 128) break;
  }
  if (number >= 2 ** 32) throw new TypeError('the levels of a page hold a run without end');
  return number;
}

/** A level has at most eight bits, so that it is in two bytes at most. */
function unpack(bytes: Uint8Array, from: number, bits: number, levels: Uint8Array): void {
  if (from + Math.ceil((levels.length * bits) / 8) > bytes.length)
    throw new TypeError('the levels of a page are cut short');
  for (let index = 0; index < levels.length; index++) {
    const bit = index * bits;
    const at = from + (bit >>> 3);
    levels[index] = ((((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)) >>> (bit & 7)) & ((1 << bits) - 1)) >>> 0;
  }
}

function varintBytes(given: number): number[] {
  const bytes: number[] = [];
  let number = given;
  for (; number > 127; number = Math.floor(number / 128)) bytes.push((number & 127) | 128);
  return [...bytes, number];
}

function packed(levels: Uint8Array, bits: number): Buffer {
  const groups = Math.ceil(levels.length / 8);
  const bytes = Buffer.alloc(groups * bits + 1);
  for (const [index, level] of levels.entries()) {
    const bit = index * bits;
    const at = bit >>> 3;
    const shifted = level << (bit & 7);
    bytes[at] = (bytes[at] ?? 0) | (shifted & 255);
    if (shifted > 255) bytes[at + 1] = shifted >>> 8;
  }
  return Buffer.concat([Buffer.from(varintBytes(groups * 2 + 1)), bytes.subarray(0, groups * bits)]);
}

/** As a page has them: behind their length in bytes. Nothing where all levels can only be 0. */
export function writeLevels(levels: Uint8Array, most: number): Buffer {
  if (most === 0) return Buffer.alloc(0);
  const [first = 0] = levels;
  const isOne = levels.every((level) => level === first);
  const bytes = isOne ? Buffer.from([...varintBytes(levels.length * 2), first]) : packed(levels, bitsOf(most));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
