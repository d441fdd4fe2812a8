// Decodes raw Snappy, as Avro's blocks have it: a length, then literals and copies of what was written before.
import { MAX_HELD_BYTES, tooLarge } from '../rows/held.ts';
import { damaged } from './cursor.ts';

const broken = () => damaged('a block compressed with Snappy is damaged.');

interface Element {
  readonly kind: 'literal' | 'copy';
  readonly length: number;
  /** How far before the end of the output a copy stands. */
  readonly distance: number;
  /** Where its literal, or the next element, begins. */
  readonly next: number;
}

function lengthOf(input: Buffer): { length: number; at: number } {
  let [length, at] = [0, 0];
  for (let scale = 1; at < 5; scale *= 128) {
    const byte = input[at++];
    if (byte === undefined) break;
    length += (byte & 127) * scale;
    if (byte < 128) return { length, at };
  }
  throw broken();
}

/** Of the two lowest bits of a tag: a literal says its length otherwise. */
const headBytes = [0, 2, 3, 5];

function elementAt(input: Buffer, at: number): Element {
  const tag = input[at] as number;
  const next = at + (headBytes[tag & 3] ?? 0);
  if (next > input.length) throw broken();
  if ((tag & 3) === 1)
    return {
      kind: 'copy',
      length: 4 + ((tag >> 2) & 7),
      distance: ((tag >> 5) << 8) | (input[at + 1] as number),
      next,
    };
  if ((tag & 3) !== 0) {
    const distance = (tag & 3) === 2 ? input.readUInt16LE(at + 1) : input.readUInt32LE(at + 1);
    return { kind: 'copy', length: 1 + (tag >> 2), distance, next };
  }
  const extra = Math.max(0, (tag >> 2) - 59);
  if (at + 1 + extra > input.length) throw broken();
  const length = extra === 0 ? tag >> 2 : input.readUIntLE(at + 1, extra);
  return { kind: 'literal', length: length + 1, distance: 0, next: at + 1 + extra };
}

/** Throws the Faults PARSE_ERROR and BLOCK_TOO_LARGE. */
export function decodeSnappy(input: Buffer): Buffer {
  const { length, at: start } = lengthOf(input);
  if (length > MAX_HELD_BYTES) throw tooLarge('A block', length);
  const output = Buffer.allocUnsafe(length);
  let to = 0;
  for (let at = start; at < input.length; ) {
    const element = elementAt(input, at);
    const end = to + element.length;
    if (end > length) throw broken();
    at = element.kind === 'literal' ? literal(input, element, output, to) : copy(element, output, to);
    to = end;
  }
  if (to !== length) throw broken();
  return output;
}

function literal(input: Buffer, { next, length }: Element, output: Buffer, to: number): number {
  if (next + length > input.length) throw broken();
  input.copy(output, to, next, next + length);
  return next + length;
}

/** What is copied may reach into what is being written. */
function copy({ distance, length, next }: Element, output: Buffer, to: number): number {
  if (distance === 0 || distance > to) throw broken();
  for (let at = to; at < to + length; at++) output[at] = output[at - distance] as number;
  return next;
}
