// What it takes to survey the chunks of a text, and a chunk that was.
import type { ReadOptions } from '../options.ts';
import type { ReadLimits } from '../reading/types.ts';
import type { Fetching } from './plain.ts';
import type { Reading, Surveyed } from './survey-chunk.ts';
import type { TextHash } from './text-hash.ts';

export interface Surveying extends Fetching {
  readonly options: ReadOptions;
  readonly limits: ReadLimits;
  readonly reading: Reading;
  readonly workDir: string;
  /** Where chunks are left for pass two; they are dropped where it is absent. */
  readonly leave?: string | undefined;
  /** Takes the bytes of all chunks. */
  readonly hash: TextHash;
}

/** A chunk on the disk, as a file that begins at `start` and may go on behind it. */
export interface LocalChunk {
  readonly surveyed: Surveyed;
  readonly path: string;
  readonly start: number;
}
