// Writes bzip2 for tests: one stream with one block, sorted naively, under a code in which all lengths are the same.

const MOST_BYTES = 90_000;

/** Runs of four and more are written as four and how many more there are. */
function runs(data: Uint8Array): number[] {
  const out: number[] = [];
  for (let at = 0; at < data.length; ) {
    const byte = data[at] ?? 0;
    let length = 1;
    while (length < 255 && data[at + length] === byte) length++;
    for (let copy = 0; copy < Math.min(length, 4); copy++) out.push(byte);
    if (length >= 4) out.push(length - 4);
    at += length;
  }
  return out;
}

function rotated(bytes: readonly number[]): { last: number[]; origin: number } {
  const order = bytes.map((_, at) => at);
  const compare = (a: number, b: number): number => {
    for (let at = 0; at < bytes.length; at++) {
      const difference = (bytes[(a + at) % bytes.length] ?? 0) - (bytes[(b + at) % bytes.length] ?? 0);
      if (difference !== 0) return difference;
    }
    return a - b;
  };
  order.sort(compare);
  return { last: order.map((at) => bytes.at(at - 1) ?? 0), origin: order.indexOf(0) };
}

/** Places in a list that moves what was found to its front; zeros are counted in two digits, 1 and 2. */
function symbols(last: readonly number[], alphabet: readonly number[]): number[] {
  const front = [...alphabet];
  const out: number[] = [];
  let zeros = 0;
  const flush = (): void => {
    for (; zeros > 0; zeros = (zeros - 1) >> 1) out.push(zeros % 2 === 1 ? 0 : 1);
  };
  for (const byte of last) {
    const place = front.indexOf(byte);
    if (place === 0) zeros++;
    else {
      flush();
      out.push(place + 1);
      front.splice(place, 1);
      front.unshift(byte);
    }
  }
  flush();
  return [...out, alphabet.length + 1];
}

function checksum(data: Uint8Array): number {
  let crc = -1;
  for (const byte of data) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  }
  return ~crc >>> 0;
}

function bitWriter() {
  let text = '';
  return {
    write: (value: number, bits: number): void => void (text += value.toString(2).padStart(bits, '0')),
    bytes: (): Buffer => Buffer.from((text.match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2))),
  };
}

type Bits = ReturnType<typeof bitWriter>;

function writeTables(bits: Bits, alphabet: readonly number[], count: number): void {
  const groups = Array.from({ length: 16 }, (_, group) => alphabet.filter((byte) => byte >> 4 === group));
  for (const group of groups) bits.write(group.length > 0 ? 1 : 0, 1);
  for (const group of groups.filter(({ length }) => length > 0))
    for (let low = 0; low < 16; low++) bits.write(group.some((byte) => (byte & 15) === low) ? 1 : 0, 1);
  const selectors = Math.ceil(count / 50);
  bits.write(2, 3);
  bits.write(selectors, 15);
  for (let at = 0; at < selectors; at++) bits.write(0, 1);
  for (let table = 0; table < 2; table++) {
    bits.write(9, 5);
    for (let symbol = 0; symbol < alphabet.length + 2; symbol++) bits.write(0, 1);
  }
}

/** The data, at most 90 kB of it, as one bzip2 stream. */
export function bzip2(data: Uint8Array): Buffer {
  const bytes = runs(data);
  if (bytes.length > MOST_BYTES) throw new Error('This writer writes one block only.');
  const bits = bitWriter();
  for (const byte of Buffer.from('BZh1')) bits.write(byte, 8);
  const crc = checksum(data);
  if (bytes.length > 0) {
    const { last, origin } = rotated(bytes);
    const alphabet = [...new Set(bytes)].sort((a, b) => a - b);
    const coded = symbols(last, alphabet);
    bits.write(0x314159265359, 48);
    bits.write(crc, 32);
    bits.write(origin, 25);
    writeTables(bits, alphabet, coded.length);
    for (const symbol of coded) bits.write(symbol, 9);
  }
  bits.write(0x177245385090, 48);
  bits.write(bytes.length > 0 ? crc : 0, 32);
  return bits.bytes();
}
