// How many lines end in bytes.
import { PIECE_BYTES, sharedVectors } from './module.ts';

/** The line ends among bytes behind the byte `before`: LF, CR, and CRLF as one. */
export function lineEnds(bytes: Buffer, before: number): number {
  const { loops, bytes: memory } = sharedVectors();
  let [ends, previous] = [0, before];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const length = bytes.copy(memory, 0, at, at + PIECE_BYTES);
    ends += loops.lineEnds(0, length, previous);
    previous = memory[length - 1] as number;
  }
  return ends;
}
