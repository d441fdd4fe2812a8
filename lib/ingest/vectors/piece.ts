// The part of a window that lies in the memory of the loops.
import { PIECE_BYTES, type Vectors } from './module.ts';

/** What is cut off by the end of a piece is read in the next one if it begins so near to it; else it is left. */
const REST_BYTES = PIECE_BYTES / 4;

/** Offsets in the window. */
export interface Loaded {
  readonly from: number;
  readonly to: number;
}

export interface Piece {
  /** Has what stands at `at` in the memory, and what follows it. */
  at(at: number): Loaded;
}

/** Of the first `end` of `bytes`, from the address `target` on. Nobody else writes there meanwhile. */
export function pieceOf({ bytes: memory }: Vectors, bytes: Buffer, end: number, target = 0): Piece {
  let loaded: Loaded = { from: 0, to: 0 };
  return {
    at: (at) => {
      const { from, to } = loaded;
      if (at >= from && at < to && (to === end || to - at > REST_BYTES)) return loaded;
      loaded = { from: at, to: Math.min(end, at + PIECE_BYTES) };
      bytes.copy(memory, target, loaded.from, loaded.to);
      return loaded;
    },
  };
}
