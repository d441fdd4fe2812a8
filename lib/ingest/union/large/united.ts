// What it takes to plan several files as one table, and what is known of them before that.
import type { Objects } from '../../../core/objects.ts';
import type { StageContext } from '../../../pipeline/stage.ts';
import { type Counting, inChunk } from '../../chunks/count-chunk.ts';
import { type Texts, textOf } from '../../chunks/chunk-rows.ts';
import type { Chunk } from '../../chunks/plan.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ReadOptions } from '../../options.ts';
import type { ReadLimits } from '../../reading/types.ts';
import type { Rows } from '../../typing/relation.ts';
import type { SurveyedFile } from './survey-file.ts';

export interface Planning {
  readonly ctx: Pick<StageContext, 'step'>;
  readonly objects: Objects;
  readonly limits: ReadLimits;
  /** An existing folder. */
  readonly workDir: string;
  readonly signal: AbortSignal;
  readonly options: ReadOptions;
  /** The name of a column that is to hold the name of the file. */
  readonly fileColumn?: string | undefined;
  /** Columns whose texts stay as they are written. */
  readonly verbatim?: readonly string[] | undefined;
}

/** Several files under the columns of all. */
export interface United {
  readonly files: readonly SurveyedFile[];
  /** Of each file, by the place of its own columns: the places of theirs in the table. */
  readonly places: readonly (readonly number[])[];
  /** Of all files. */
  readonly chunks: readonly Chunk[];
  /** All columns as texts. */
  readonly texts: Texts;
}

/** What `use` makes of the rows of a chunk, in the columns of the table. Faults: INPUT_UNREADABLE. */
export const inChunkOf = <T>(
  pass: Omit<Counting, 'plain' | 'layout'>,
  { texts }: United,
  chunk: Chunk,
  use: (engine: Engine, rows: Rows) => Promise<T>,
): Promise<T> => inChunk({ ...pass, ...textOf(texts, chunk) }, chunk, use);
