// Decodes LZ4 frames, in which Arrow stores its buffers. How long they are is known before, and nothing is written beyond it.
import { damaged } from './flatbuffer.ts';

const MAGIC = 0x184d2204;
const MIN_MATCH = 4;

const broken = () => damaged('a buffer compressed with LZ4 is damaged.');

function longer(input: Buffer, at: number, count: number): { count: number; at: number } {
  let [sum, place] = [count, at];
  for (let byte = 255; byte === 255; sum += byte) {
    if (place >= input.length) throw broken();
    byte = input[place++] as number;
  }
  return { count: sum, at: place };
}

/** Copies what stands `distance` before; it may reach into what it writes. */
function copyBack(output: Buffer, to: number, distance: number, length: number): number {
  if (distance === 0 || distance > to || to + length > output.length) throw broken();
  if (distance >= length) output.copyWithin(to, to - distance, to - distance + length);
  else for (let at = to; at < to + length; at++) output[at] = output[at - distance] as number;
  return to + length;
}

/** Answers where the output ends then. */
function decodeBlock(input: Buffer, output: Buffer, start: number): number {
  let [from, to] = [0, start];
  while (from < input.length) {
    const token = input[from++] as number;
    let literals = token >> 4;
    if (literals === 15) ({ count: literals, at: from } = longer(input, from, literals));
    if (from + literals > input.length || to + literals > output.length) throw broken();
    input.copy(output, to, from, from + literals);
    [from, to] = [from + literals, to + literals];
    if (from >= input.length) break;
    if (from + 2 > input.length) throw broken();
    const distance = input.readUInt16LE(from);
    from += 2;
    let length = token & 15;
    if (length === 15) ({ count: length, at: from } = longer(input, from, length));
    to = copyBack(output, to, distance, length + MIN_MATCH);
  }
  return to;
}

/** The bytes of the frame's head: magic, flags, block size, content size, dictionary, checksum. */
function headBytes(input: Buffer): number {
  if (input.length < 7 || input.readUInt32LE(0) !== MAGIC) throw broken();
  const flags = input[4] as number;
  if (flags >> 6 !== 1) throw broken();
  return 7 + ((flags & 8) === 0 ? 0 : 8) + ((flags & 1) === 0 ? 0 : 4);
}

/** What one frame holds, which must be `length` bytes. Throws the Fault PARSE_ERROR. */
export function decodeLz4(input: Buffer, length: number): Buffer {
  const output = Buffer.allocUnsafe(length);
  const hasBlockSums = ((input[4] ?? 0) & 16) !== 0;
  let [at, to] = [headBytes(input), 0];
  for (;;) {
    if (at + 4 > input.length) throw broken();
    const word = input.readUInt32LE(at);
    at += 4;
    if (word === 0) break;
    const size = word & 0x7fff_ffff;
    if (at + size > input.length) throw broken();
    const block = input.subarray(at, at + size);
    const stored = word >>> 31 === 1;
    if (stored && to + size > length) throw broken();
    to = stored ? to + block.copy(output, to) : decodeBlock(block, output, to);
    at += size + (hasBlockSums ? 4 : 0);
  }
  if (to !== length) throw broken();
  return output;
}
