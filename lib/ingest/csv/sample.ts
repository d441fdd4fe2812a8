// A sample of whole records from all over the file, so that the plan of types rarely meets a surprise later.

const BLOCKS = 64;
const BLOCK_BYTES = 16_384;
/** A record that is longer is in no sample: one of each block would be more than memory has room for. */
const LONGEST = 16 * BLOCK_BYTES;

/** Where a sampler stands; JSON. */
export interface SamplerState {
  readonly block: number;
  readonly room: number;
  readonly all: boolean;
  /** The block in which it began, and how many records it took of that. */
  readonly first?: { readonly block: number; readonly taken: number } | undefined;
}

export interface Sampler {
  /** Offers a record that starts at `offset` in the file, and how many bytes it has there. */
  offer(bytes: Buffer, start: number, end: number, offset: number, size?: number): void;
  /** Up to where it takes no record, from the one at `offset` on; `offset` where it may take that. */
  restsUntil(offset: number): number;
  /** There were records that it was not offered while it rests. */
  rested(): void;
  /** Whole records, one after the other, as written. */
  bytes(): Buffer;
  /** The same, one by one. */
  taken(): readonly Buffer[];
  /** Whether every record offered was taken. */
  isAll(): boolean;
  /** For a sampler that goes on. */
  state(): SamplerState;
}

/** Takes 64 blocks of 16 KiB, evenly spaced over the file; a file smaller than that is taken whole. */
export function sampler(fileBytes: number, from: SamplerState = { block: -1, room: 0, all: true }): Sampler {
  const step = Math.max(fileBytes / BLOCKS, BLOCK_BYTES);
  const taken: Buffer[] = [];
  let { block, room, all } = from;
  let first: { block: number; taken: number } | undefined;
  return {
    offer(bytes, start, end, offset, size = end - start) {
      const now = Math.floor(offset / step);
      first ??= { block: now, taken: 0 };
      if (now !== block) {
        block = now;
        room = BLOCK_BYTES;
      }
      if (room <= 0 || Math.max(size, end - start) > LONGEST) {
        all = false;
        return;
      }
      room -= size;
      if (now === first.block) first.taken++;
      taken.push(Buffer.from(bytes.subarray(start, end)));
    },
    restsUntil(offset) {
      if (first === undefined || room > 0 || Math.floor(offset / step) !== block) return offset;
      return Math.max(offset, Math.floor((block + 1) * step) - 1);
    },
    rested: () => {
      all = false;
    },
    bytes: () => Buffer.concat(taken),
    taken: () => taken,
    isAll: () => all,
    state: () => ({ block, room, all, ...(first && { first }) }),
  };
}

interface Taken<R> {
  readonly records: readonly R[];
  readonly state: SamplerState;
}

/**
 * What a sampler that goes on `behind` another one takes, by what one took of the same records that did not: in the block that both are
 * in there is less room.
 */
export function takenBehind<R>(
  behind: SamplerState,
  { records, state }: Taken<R>,
  sizeOf: (record: R) => number,
): Taken<R> {
  const { first } = state;
  const all = behind.all && state.all;
  if (first === undefined) return { records, state: { block: behind.block, room: behind.room, all } };
  if (first.block !== behind.block) return { records, state: { ...state, all } };
  let [room, taken] = [behind.room, 0];
  for (const record of records.slice(0, first.taken)) {
    if (room <= 0) break;
    room -= sizeOf(record);
    taken++;
  }
  return {
    records: [...records.slice(0, taken), ...records.slice(first.taken)],
    state: {
      block: state.block,
      room: state.block === first.block ? room : state.room,
      all: all && taken === first.taken,
      first: { ...first, taken },
    },
  };
}
